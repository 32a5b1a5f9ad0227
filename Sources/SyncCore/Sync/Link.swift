/// A single-use link that lets a device in: `wake://host:port/#secret.key`.
///
/// Secret and trust stand behind the number sign, so that no server ever sees them in a request.
/// The trust is `ca` or the digest of a public key, see ``ServerTrust``; without one the server
/// speaks plain HTTP, and is on the same machine.
package struct Link: Sendable, Equatable {
    /// `host:port` of the server.
    package let authority: String
    /// The secret of 128 bits.
    package let secret: LinkSecret
    /// What shows that a server is the one that is meant.
    package let trust: ServerTrust

    package init(authority: String, secret: LinkSecret, trust: ServerTrust) {
        self.authority = authority
        self.secret = secret
        self.trust = trust
    }

    /// Reads a link as a person pasted it; nil for anything else.
    ///
    /// Mail and messengers break it into lines and put spaces, quotes or brackets around it, which
    /// are no part of it. The rest has one spelling, so a changed character makes it another link
    /// or none.
    package init?(_ pasted: String) {
        let scheme = "wake://"
        guard pasted.utf8.count <= Self.pastedByteLimit else { return nil }
        let text = Self.unwrapped(pasted)
        guard text.hasPrefix(scheme) else { return nil }
        let parts = text.dropFirst(scheme.count)
            .split(separator: "/#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let authority = Authority(parts[0]), authority.port > 0 else {
            return nil
        }
        let fragment = parts[1]
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let trust = fragment.count == 2 ? ServerTrust(fragment[1]) : .plain
        guard let number = Identifier(fragment[0]), let trust,
            trust != .plain || authority.isLoopback
        else { return nil }
        self.init(authority: String(parts[0]), secret: LinkSecret(number), trust: trust)
        guard description == text else { return nil }
    }

    /// Whether what was pasted is a link that lost its end.
    ///
    /// It is no link, and the end of some link makes it one. One for this machine that lost its key
    /// is a whole link for plain HTTP.
    package static func isCut(_ pasted: String) -> Bool {
        guard pasted.utf8.count <= pastedByteLimit, Link(pasted) == nil else { return false }
        let text = unwrapped(pasted)
        return ends.contains { end in
            end.indices.contains { Link(text + end[$0...]) != nil }
        }
    }

    /// Ends of links: the host may be an address in brackets, the trust a key or `ca`.
    private static let ends =
        ["[::1]", "h"].map {
            $0 + ":1/#" + String(repeating: "0", count: 26) + "."
                + String(repeating: "0", count: 52)
        } + ["ca"]

    private static let pastedByteLimit = 1024

    private static func unwrapped(_ pasted: String) -> String {
        let scalars = pasted.unicodeScalars
            .filter { $0 != "\n" && $0 != "\r" && $0.properties.generalCategory != .format }
            .drop { isWrapping($0) }
        let end = scalars.lastIndex { !isWrapping($0) }
        return end.map { String(Substring(scalars[...$0])) } ?? ""
    }

    private static func isWrapping(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.isQuotationMark
            || "<>()`.,;".unicodeScalars.contains(scalar)
    }
}

extension Link: CustomStringConvertible {
    /// The link as it is printed.
    package var description: String {
        "wake://\(authority)/#\(secret.number)" + (trust == .plain ? "" : ".\(trust)")
    }
}
