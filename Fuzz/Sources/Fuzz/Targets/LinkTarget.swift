import SyncCore

/// Links as a person may paste them: what wraps a link is taken off, and it is printed one way.
enum LinkTarget {
    static func check(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
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
        precondition(
            link.trust != .plain || Authority(link.authority)?.isLoopback == true,
            "plain HTTP stays on the machine"
        )
    }
}
