/// A parsed upload that is not verified yet: a change set, or a control set.
package struct Upload: Equatable, Sendable {
    /// The received bytes, stored and relayed verbatim.
    package let bytes: [UInt8]
    package let protection: Protection
    package let header: Header
    /// The hash that names the set in chains, receipts and lists.
    ///
    /// The SHA-256 of the inner object of a change set, or of the whole upload of a control set.
    package let hash: Digest

    /// What protects the header.
    package enum Protection: Equatable, Sendable {
        /// The outer object has the device MAC; its payload is the inner object, which has the
        /// space MAC and whose payload is the header.
        case macs(outer: Envelope, inner: Envelope)
        /// The device's signature; the payload is the header of a control set.
        case signature(Envelope)
    }

    /// Parses the objects and the header.
    package init(parsing bytes: [UInt8]) throws(ChangeSetError) {
        self.bytes = bytes
        let isControl = Envelope.begins(bytes, like: .ed25519)
        let payload: ArraySlice<UInt8>
        do {
            let outer = try Envelope(decoding: bytes[...], of: isControl ? .ed25519 : .hmac)
            if isControl {
                (protection, payload) = (.signature(outer), outer.payload)
                hash = Digest(of: bytes)
            } else {
                let inner = try Envelope(decoding: outer.payload)
                (protection, payload) = (.macs(outer: outer, inner: inner), inner.payload)
                hash = Digest(of: outer.payload)
            }
        } catch {
            throw .encoding(error)
        }
        header = try Header(decoding: payload)
        guard (header.control != nil) == isControl else { throw .incomplete }
    }

    /// Whether this is a control set.
    package var isControl: Bool { header.control != nil }

    /// The objects with the device MAC and with the space MAC; nil for a control set.
    package var macs: (outer: Envelope, inner: Envelope)? {
        guard case .macs(let outer, let inner) = protection else { return nil }
        return (outer, inner)
    }

    /// Whether the MAC of a device that the server knows verifies; false for a control set.
    package func verifies(with keys: DeviceKeys) -> Bool {
        macs.map { $0.outer.verifies(with: keys) } ?? false
    }

    /// Whether the MAC of the space verifies; false for a control set.
    package func verifies(with keys: SpaceKeys) -> Bool {
        macs.map { $0.inner.verifies(with: keys) } ?? false
    }
}
