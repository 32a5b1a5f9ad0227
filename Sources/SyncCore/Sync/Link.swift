/// A single-use link that lets a device in: `wake://host:port/#secret`.
///
/// The secret stands behind the number sign, so that no server ever sees it in a request.
package struct Link: Sendable, Equatable {
    /// `host:port` of the server.
    package let authority: String
    /// The secret of 128 bits.
    package let secret: LinkSecret

    package init(authority: String, secret: LinkSecret) {
        self.authority = authority
        self.secret = secret
    }

    /// Reads a link as a person pasted it; nil for anything else.
    ///
    /// Mail and messengers break it into lines and put spaces, quotes or brackets around it, which
    /// are no part of it.
    package init?(_ pasted: String) {
        let scheme = "wake://"
        guard pasted.utf8.count <= Self.pastedByteLimit else { return nil }
        let text = Self.unwrapped(pasted)
        guard text.hasPrefix(scheme) else { return nil }
        let parts = text.dropFirst(scheme.count)
            .split(separator: "/#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Identifier(String(parts[1])),
            Self.isAuthority(parts[0])
        else { return nil }
        self.init(authority: String(parts[0]), secret: LinkSecret(number))
    }

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

    /// Host and port of printable ASCII without anything that ends an authority.
    private static func isAuthority(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = UInt16(text[text.index(after: colon)...]), port > 0,
            text.hasSuffix(":\(port)")
        else { return false }
        return text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"/?#@\\".utf8.contains($0) }
    }
}

extension Link: CustomStringConvertible {
    /// The link as it is printed.
    package var description: String {
        "wake://\(authority)/#\(secret.number)"
    }
}
