import SyncCore

/// What the file of a track is called: the day it began, its name and its id.
///
/// Only letters and digits of ASCII, dots, dashes and underscores, so the name is one on every file
/// system, never hidden and never a way out of the folder. It starts with a digit or `t`, so none is a
/// name that a system reserves, as `CON`; the id keeps those of different tracks apart, also where
/// capitals do not count.
enum TrackFileName {
    /// A title is cut to so many characters.
    private static let titleLimit = 60

    /// The name of a file without its ending.
    static func stem(day: String?, title: String?, id: String) -> String {
        let title = sanitised(title ?? "")
        let day = day.map(sanitised) ?? ""
        let start = day.first?.isNumber == true ? day : "track"
        return [start, title, id].filter { !$0.isEmpty }.joined(separator: "-")
    }

    /// What a file that was imported is called again: its name, with enough of its digest that no two
    /// are called alike.
    static func name(ofFile name: String, _ digest: Digest) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? sanitised(String(parts[parts.count - 1])) : ""
        let title = sanitised(parts.dropLast(parts.count > 1 ? 1 : 0).joined(separator: "."))
        let stem = "\(title.isEmpty ? "file" : title)-\(digest.description.prefix(16))"
        return ending.isEmpty ? stem : "\(stem).\(ending)"
    }

    /// Every run of other characters becomes a dash; none stands at the ends, nor a dot.
    private static func sanitised(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars where name.utf8.count < titleLimit {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_": name.unicodeScalars.append(scalar)
            default: if name.last.map({ $0 != "-" }) ?? false { name += "-" }
            }
        }
        let start = name.drop { $0 == "." || $0 == "-" }
        let end = start.lastIndex { $0 != "." && $0 != "-" }
        return end.map { String(start[...$0]) } ?? ""
    }
}
