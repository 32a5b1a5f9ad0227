import SyncCore

/// Links as a person may paste them: what wraps a link is taken off, and it is printed one way.
enum LinkTarget {
    static func check(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        checkLocation(text)
        guard let link = Link(text) else { return }
        let printed = link.description
        precondition(Link(printed) == link, "a link comes back")
        precondition(printed.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "it is printable")
        var pasted = text.utf8[...]
        for character in printed.utf8 {
            guard let index = pasted.firstIndex(of: character) else {
                preconditionFailure("nothing is added to a link")
            }
            pasted = pasted[pasted.index(after: index)...]
        }
        let port = link.authority.utf8.reversed().prefix { $0 != UInt8(ascii: ":") }
        precondition(
            port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) },
            "a port is digits"
        )
        if let anchor = link.invitation?.anchor {
            precondition(anchor.index < 1 << 32 && anchor.hash.count == 16, "an anchor is short")
        }
        precondition(
            link.trust != .plain || Authority(link.authority)?.isLoopback == true,
            "plain HTTP stays on the machine"
        )
    }

    /// The address in a link, which is printed without a secret.
    private static func checkLocation(_ text: String) {
        guard let location = ServerLocation(text) else { return }
        let printed = location.description
        precondition(ServerLocation(printed) == location, "a location comes back")
        precondition(Link(printed) == nil, "a location lets nobody in")
        guard let link = Link(text) else { return }
        precondition(location.authority == link.authority, "a link says where its server is")
        precondition(location.trust == link.trust, "and how it is known")
    }
}
