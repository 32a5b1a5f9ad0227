/// A single-use invitation link: `wake://host:port/#secret` or `wake://host:port/#secret.trust`.
///
/// Secret and trust are in the fragment, which clients never send to a server. The trust is `ca` or
/// the digest of a public key (see ``ServerTrust``). A link without one is for plain HTTP, which
/// only a server on the same machine may use.
package struct Link: Sendable, Equatable {
    package let authority: String
    /// The link's 128-bit secret.
    package let secret: LinkSecret
    package let trust: ServerTrust

    package init(authority: String, secret: LinkSecret, trust: ServerTrust) {
        self.authority = authority
        self.secret = secret
        self.trust = trust
    }

    /// Parses a link as a person pasted it; nil if it is not a link.
    ///
    /// Mail programs and messengers wrap links in lines, spaces, quotes or brackets. These are
    /// removed first. The rest must have the canonical spelling.
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

    /// Whether the pasted text is a link that was cut off at its end.
    ///
    /// Appending the end of a sample link must make it valid. A link to this machine that lost its
    /// key is not detected: it is a valid link for plain HTTP.
    package static func isCut(_ pasted: String) -> Bool {
        guard pasted.utf8.count <= pastedByteLimit, Link(pasted) == nil else { return false }
        let text = unwrapped(pasted)
        return ends.contains { end in
            end.indices.contains { Link(text + end[$0...]) != nil }
        }
    }

    /// Sample endings: an IPv6 address or a host name with a pinned key, or `ca`.
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
    /// The canonical spelling of the link.
    package var description: String {
        "wake://\(authority)/#\(secret.number)" + (trust == .plain ? "" : ".\(trust)")
    }
}
