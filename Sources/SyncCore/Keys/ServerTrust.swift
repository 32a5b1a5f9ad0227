/// What a device demands of a server before it tells it anything.
package enum ServerTrust: Hashable, Sendable {
    /// Nothing, over plain HTTP: right on one machine, where nobody else listens.
    case plain
    /// A certificate that one of the system's authorities gave to the host of this name.
    case authorities
    /// The public key whose SubjectPublicKeyInfo has this SHA-256, whatever its certificate says.
    case pinned(Digest)
}

extension ServerTrust: CustomStringConvertible {
    /// `plain`, `ca`, or the digest in 52 characters, each half as an ``Identifier`` is shown.
    package var description: String {
        switch self {
        case .plain: "plain"
        case .authorities: "ca"
        case .pinned(let digest):
            [digest.bytes.prefix(16), digest.bytes.suffix(16)]
                .compactMap { Identifier(bytes: $0)?.description }.joined()
        }
    }

    /// Reads exactly what ``description`` wrote; nil for any other spelling.
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
