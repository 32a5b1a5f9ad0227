internal import FoundationEssentials
import SyncCore

/// The time zone of a Linux system.
enum SystemZone {
    /// Returns the zone of the link `/etc/localtime`, otherwise of `/etc/timezone`, or nil.
    ///
    /// - Parameter root: a prefix for both paths.
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
    /// Parses a zone name, or a path into the zone database that ends with one.
    init?(ofSystem text: String) {
        let name = text.firstRange(of: "/zoneinfo/").map { text[$0.upperBound...] } ?? text[...]
        self.init(String(name))
    }
}
