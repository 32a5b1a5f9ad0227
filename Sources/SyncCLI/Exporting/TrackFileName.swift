import SyncCore

/// What the file of a track is called: the day it began, its name and its id.
///
/// Only letters and digits of any script, as they were written, dots, dashes and underscores, and at
/// most 255 bytes with all that follows, so the name is one on every file system, never hidden and never
/// a way out of the folder. It starts with a digit or `t`, so none is a name that a system reserves, as
/// `CON`; the id keeps those of different tracks apart, also where capitals do not count.
enum TrackFileName {
    /// A title is cut to so many characters, and to so many bytes: the day, the id, or a digest, and an
    /// ending have room beside it in 255.
    private static let titleLimit = (characters: 60, bytes: 160)
    private static let endingByteLimit = 40

    /// The name of a file without its ending.
    static func stem(day: String?, title: String?, id: String) -> String {
        let title = sanitised(title ?? "")
        let day = day.map { sanitised($0) } ?? ""
        let start = day.first?.isNumber == true ? day : "track"
        return [start, title, id].filter { !$0.isEmpty }.joined(separator: "-")
    }

    /// What a file that was imported is called again: its name, with enough of its digest that no two
    /// are called alike.
    static func name(ofFile name: String, _ digest: Digest) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let ending =
            parts.count > 1
            ? sanitised(String(parts[parts.count - 1]), byteLimit: endingByteLimit) : ""
        let title = sanitised(parts.dropLast(parts.count > 1 ? 1 : 0).joined(separator: "."))
        let stem = "\(title.isEmpty ? "file" : title)-\(digest.description.prefix(16))"
        return ending.isEmpty ? stem : "\(stem).\(ending)"
    }

    /// Every run of other characters becomes a dash; none stands at the ends, nor a dot.
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
    /// Whether it is seen, and a letter or a digit.
    fileprivate var isLetterOrDigit: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber:
            true
        default: false
        }
    }

    /// Whether it is written above, below or around the letter before it.
    fileprivate var isMark: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    fileprivate var takesMarks: Bool { isLetterOrDigit || isMark }
}
