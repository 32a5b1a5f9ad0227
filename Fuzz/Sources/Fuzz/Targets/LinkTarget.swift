import SyncCore

/// Links as a person may paste them; the secret's letters are read leniently, and printed one way.
enum LinkTarget {
    static func check(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        guard let link = Link(text) else { return }
        let printed = link.description
        precondition(Link(printed) == link, "a link comes back")
        precondition(printed.utf8.count == text.utf8.count, "a link has one length")
        precondition(
            text.hasPrefix("wake://\(link.authority)/#"),
            "an authority is taken as it stands"
        )
        precondition(text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a link is printable")
        let port = link.authority.utf8.reversed().prefix { $0 != UInt8(ascii: ":") }
        precondition(
            port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) },
            "a port is digits"
        )
    }
}
