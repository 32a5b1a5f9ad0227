import SyncCore

/// Links as a person may paste them: what a mail puts around one is dropped, the rest has one
/// spelling.
enum LinkTarget {
    static func check(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        guard let link = Link(text) else { return }
        let printed = link.description
        precondition(Link(printed) == link, "a link comes back")
        precondition(printed.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a link is printable")
        var pasted = text.utf8[...]
        for character in printed.utf8 {
            guard let index = pasted.firstIndex(of: character) else {
                preconditionFailure("nothing is added to a link")
            }
            pasted = pasted[pasted.index(after: index)...]
        }
        precondition(
            link.trust != .plain || Authority(link.authority)?.isLoopback == true,
            "plain HTTP stays on the machine"
        )
    }
}
