/// A COSE_Mac0 object (RFC 9052, section 6.2) with HMAC 256/256 (RFC 9053).
package struct MACEnvelope: Equatable, Sendable {
    /// The epoch of the signer's key, 8 bytes on the wire.
    package let keyEpoch: UInt64
    /// The signed bytes.
    package let payload: ArraySlice<UInt8>

    private let protected: ArraySlice<UInt8>
    private let tag: ArraySlice<UInt8>

    /// The purpose of a MAC, which enters it as `external_aad`.
    ///
    /// So a MAC of one purpose never verifies for another.
    package enum Domain: String {
        case device = "wake/1/device"
        case space = "wake/1/space"
    }

    /// Decodes exactly one object, without verifying it.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.tag(17)
        try decoder.array(count: 4)
        protected = try decoder.bytes()
        guard try decoder.map() == 0 else { throw .unexpected(offset: decoder.offset) }
        payload = try decoder.bytes()
        tag = try decoder.bytes(count: 32)
        try decoder.finish()
        keyEpoch = try Self.keyEpoch(in: protected)
    }

    /// Whether the MAC verifies with `key` for this purpose.
    package func verifies(with key: MACKey, for domain: Domain) -> Bool {
        key.verifies(tag, of: Self.structure(protected, payload, domain))
    }

    /// Whether the MAC verifies with the space's key of its epoch, if there is one.
    func verifies(with keys: SpaceKeys) -> Bool {
        keys.macKey(epoch: keyEpoch).map { verifies(with: $0, for: .space) } ?? false
    }

    /// Whether the MAC verifies with the device's key of its epoch, if there is one.
    func verifies(with keys: DeviceKeys) -> Bool {
        keys.macKey(epoch: keyEpoch).map { verifies(with: $0, for: .device) } ?? false
    }

    /// Computes the MAC of a payload and returns the encoded object.
    package static func seal(
        _ payload: [UInt8],
        with key: MACKey,
        epoch: UInt64,
        for domain: Domain
    ) -> [UInt8] {
        let protected = protectedHeader(epoch: epoch)
        var encoder = CBOREncoder()
        encoder.tag(17)
        encoder.array(4)
        encoder.bytes(protected)
        encoder.map(0)
        encoder.bytes(payload)
        encoder.bytes(key.tag(of: structure(protected[...], payload[...], domain)))
        return encoder.bytes
    }

    /// Returns the MAC_structure of RFC 9052, section 6.3.
    private static func structure(
        _ protected: ArraySlice<UInt8>,
        _ payload: ArraySlice<UInt8>,
        _ domain: Domain
    ) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(4)
        encoder.text("MAC0")
        encoder.bytes(protected)
        encoder.bytes(domain.rawValue.utf8)
        encoder.bytes(payload)
        return encoder.bytes
    }

    private static func protectedHeader(epoch: UInt64) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(2)
        encoder.unsigned(1)
        encoder.unsigned(5)
        encoder.unsigned(4)
        encoder.bytes(epoch.bigEndianBytes)
        return encoder.bytes
    }

    private static func keyEpoch(in protected: ArraySlice<UInt8>) throws(CBORError) -> UInt64 {
        var decoder = CBORDecoder(protected)
        guard try decoder.map() == 2, try decoder.unsigned() == 1, try decoder.unsigned() == 5,
            try decoder.unsigned() == 4
        else { throw .unexpected(offset: 0) }
        let epoch = try decoder.bytes(count: 8)
        try decoder.finish()
        return UInt64(bigEndian: epoch)
    }
}
