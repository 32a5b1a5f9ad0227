import SyncCore

/// File names of tracks: the start date, the name and the id.
///
/// They are valid on every file system. They contain only letters and digits of any script,
/// dots, dashes and underscores, at most 255 bytes with the extension. They are never hidden and
/// never leave the folder. They start with a digit or `t`, so none is a reserved name such as
/// `CON`. The id makes them unique even on a file system that ignores case.
enum TrackFileName {
    /// The limits of a title; they leave room for date, id or digest, and extension in 255 bytes.
    private static let titleLimit = (characters: 60, bytes: 160)
    private static let endingByteLimit = 40

    /// Returns the file name without extension.
    static func stem(day: String?, title: String?, id: String) -> String {
        let title = sanitised(title ?? "")
        let day = day.map { sanitised($0) } ?? ""
        let start = day.first?.isNumber == true ? day : "track"
        return [start, title, id].filter { !$0.isEmpty }.joined(separator: "-")
    }

    /// Returns the name for an original file: its own, made unique with 16 digits of its digest.
    static func name(ofFile name: String, _ digest: Digest) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let ending =
            parts.count > 1
            ? sanitised(String(parts[parts.count - 1]), byteLimit: endingByteLimit) : ""
        let title = sanitised(parts.dropLast(parts.count > 1 ? 1 : 0).joined(separator: "."))
        let stem = "\(title.isEmpty ? "file" : title)-\(digest.description.prefix(16))"
        return ending.isEmpty ? stem : "\(stem).\(ending)"
    }

    /// Replaces each run of other characters by a dash, and trims dashes and dots.
    private static func sanitised(_ text: String, byteLimit: Int = titleLimit.bytes) -> String {
        var name = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            let isPart = scalar.isLetterOrDigit || name.last?.takesMarks == true && scalar.isMark
            guard isPart || scalar == "." || scalar == "_" || name.last.map({ $0 != "-" }) == true
            else { continue }
            let next = isPart || scalar == "." || scalar == "_" ? scalar : "-"
            byteCount += UTF8.width(next)
            guard byteCount <= byteLimit, name.count < titleLimit.characters else { break }
            name.append(next)
        }
        let start = name.drop { $0 == "." || $0 == "-" }
        let end = start.lastIndex { $0 != "." && $0 != "-" }
        return end.map { String(start[...$0]) } ?? ""
    }
}

extension Unicode.Scalar {
    /// Whether the character is a visible letter or digit.
    fileprivate var isLetterOrDigit: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber:
            true
        default: false
        }
    }

    /// Whether the character is a visible combining mark.
    fileprivate var isMark: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    fileprivate var takesMarks: Bool { isLetterOrDigit || isMark }
}
