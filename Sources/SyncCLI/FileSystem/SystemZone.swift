internal import FoundationEssentials
import SyncCore

/// The time zone that a Linux system is set to.
enum SystemZone {
    /// Where `/etc/localtime` leads to, else what `/etc/timezone` says; nil where neither tells.
    ///
    /// - Parameter root: what stands before both paths.
    static func name(below root: String = "") -> ZoneName? {
        let link = try? FileManager.default.destinationOfSymbolicLink(
            atPath: root + "/etc/localtime"
        )
        if let zone = link.flatMap({ ZoneName(ofSystem: $0) }) { return zone }
        let text = (try? InputFile.bytes(of: root + "/etc/timezone")) ?? []
        return ZoneName(ofSystem: String(decoding: text.prefix { $0 > 0x20 }, as: UTF8.self))
    }
}

extension ZoneName {
    /// A name as systems write it: alone, or at the end of a path to the database.
    init?(ofSystem text: String) {
        let name = text.firstRange(of: "/zoneinfo/").map { text[$0.upperBound...] } ?? text[...]
        self.init(String(name))
    }
}
