/// How a device authenticates a server before it sends anything.
package enum ServerTrust: Hashable, Sendable {
    /// No authentication, over plain HTTP; only for a server on the same machine.
    case plain
    /// A certificate for the host from one of the system's certificate authorities.
    case authorities
    /// The public key whose SubjectPublicKeyInfo (RFC 5280) has this SHA-256.
    ///
    /// Name and dates of the certificate are ignored.
    case pinned(Digest)
}

extension ServerTrust: CustomStringConvertible {
    /// `plain`, `ca`, or the digest as 52 characters: each half in the text form of an
    /// ``Identifier``.
    package var description: String {
        switch self {
        case .plain: "plain"
        case .authorities: "ca"
        case .pinned(let digest):
            [digest.bytes.prefix(16), digest.bytes.suffix(16)]
                .compactMap { Identifier(bytes: $0)?.description }.joined()
        }
    }

    /// Parses the exact output of ``description``; nil for any other spelling.
    package init?(_ text: String) {
        switch text {
        case "plain": self = .plain
        case "ca": self = .authorities
        default:
            guard let first = Identifier(String(text.prefix(26))),
                let second = Identifier(String(text.dropFirst(26))),
                let digest = Digest(bytes: first.bytes + second.bytes)
            else { return nil }
            self = .pinned(digest)
            guard description == text else { return nil }
        }
    }
}
