/// The address of a server with the way to authenticate it: a link without a secret.
///
/// `wake://host:port/#.trust`, or without `.trust` for plain HTTP on the same machine.
package struct ServerLocation: Hashable, Sendable {
    package let authority: String
    package let trust: ServerTrust

    package init(authority: String, trust: ServerTrust) {
        (self.authority, self.trust) = (authority, trust)
    }

    /// Reads the address in a location or in a link, as a person pasted it; nil for anything else.
    package init?(_ pasted: String) {
        if let link = Link(pasted) {
            self.init(authority: link.authority, trust: link.trust)
            return
        }
        // The shortest link to the same server.
        let secret = String(repeating: "0", count: 26)
        guard let sign = pasted.firstIndex(of: "#"),
            let link = Link(pasted[...sign] + secret + pasted[pasted.index(after: sign)...])
        else { return nil }
        self.init(authority: link.authority, trust: link.trust)
    }
}

extension ServerLocation: CustomStringConvertible {
    package var description: String {
        "wake://\(authority)/#" + (trust == .plain ? "" : ".\(trust)")
    }
}
