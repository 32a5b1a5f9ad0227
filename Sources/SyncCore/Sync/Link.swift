/// A single-use link, `wake://host:port/#secret.trust`, or with `.space.anchor` after the trust.
///
/// Everything after the number sign is the fragment, which clients never send to a server. The trust
/// is `ca` or the digest of a public key (see ``ServerTrust``). A link without one is for plain HTTP,
/// which only a server on the same machine may use. Space and anchor stand in the links of devices.
package struct Link: Sendable, Equatable {
    package let authority: String
    /// The link's 128-bit secret.
    package let secret: LinkSecret
    package let trust: ServerTrust
    /// The space that a device invites to; nil in the link of a server.
    package let invitation: Invitation?

    package struct Invitation: Hashable, Sendable {
        package let space: Identifier
        package let anchor: Anchor

        package init(space: Identifier, anchor: Anchor) {
            (self.space, self.anchor) = (space, anchor)
        }
    }

    /// The newest control set that the maker of the link knew.
    package struct Anchor: Hashable, Sendable {
        /// Below 2^32.
        package let index: UInt64
        /// The first 16 bytes of its hash.
        package let hash: [UInt8]

        package init(index: UInt64, hash: [UInt8]) { (self.index, self.hash) = (index, hash) }
    }

    package init(
        authority: String,
        secret: LinkSecret,
        trust: ServerTrust,
        invitation: Invitation? = nil
    ) {
        self.authority = authority
        self.secret = secret
        self.trust = trust
        self.invitation = invitation
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
        let fragment = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)
        guard [1, 2, 4].contains(fragment.count), let number = Identifier(fragment[0]),
            let trust = fragment.count == 1 || fragment[1].isEmpty
                ? .plain : ServerTrust(fragment[1]),
            trust != .plain || authority.isLoopback
        else { return nil }
        var invitation: Invitation?
        if fragment.count == 4 {
            invitation = Invitation(fragment[2], fragment[3])
            guard invitation != nil else { return nil }
        }
        self.init(
            authority: String(parts[0]),
            secret: LinkSecret(number),
            trust: trust,
            invitation: invitation
        )
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
        let place = invitation.map { ".\($0.space).\($0.anchor)" } ?? ""
        let trust = trust == .plain ? (place.isEmpty ? "" : ".") : ".\(trust)"
        return "wake://\(authority)/#\(secret.number)" + trust + place
    }
}

extension Link.Invitation {
    fileprivate init?(_ space: String, _ anchor: String) {
        guard let space = Identifier(space), let anchor = Link.Anchor(anchor) else { return nil }
        self.init(space: space, anchor: anchor)
    }
}

extension Link.Anchor: CustomStringConvertible {
    /// Base32 of the index, 4 bytes, big-endian, and the 16 bytes of the hash: 32 characters.
    package var description: String {
        Base32.encode(Array(index.bigEndianBytes.suffix(4)) + hash)
    }

    fileprivate init?(_ text: String) {
        guard let bytes = Base32.decode(text), bytes.count == 20 else { return nil }
        self.init(index: UInt64(bigEndian: bytes[..<4]), hash: Array(bytes[4...]))
    }
}
