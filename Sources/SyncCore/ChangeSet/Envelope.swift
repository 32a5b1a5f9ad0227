/// A COSE_Mac0 or a COSE_Sign1 object (RFC 9052, sections 6.2 and 4.2): bytes with a proof.
package struct Envelope: Equatable, Sendable {
    package let algorithm: Algorithm
    /// The protected bytes.
    package let payload: ArraySlice<UInt8>

    private let protected: ArraySlice<UInt8>
    private let keyIdentifier: ArraySlice<UInt8>
    private let proof: ArraySlice<UInt8>

    /// How an envelope is protected: the algorithm (RFC 9053) with the object that carries it.
    package enum Algorithm: Int64, Sendable {
        /// HMAC 256/256 in a COSE_Mac0; the key identifier is the key's epoch, 8 bytes.
        case hmac = 5
        /// EdDSA with Ed25519 in a COSE_Sign1; the key identifier is the signing device, 16 bytes.
        case ed25519 = -8

        fileprivate var tag: UInt64 {
            switch self {
            case .hmac: 17
            case .ed25519: 18
            }
        }

        fileprivate var proofByteCount: Int {
            switch self {
            case .hmac: 32
            case .ed25519: 64
            }
        }

        fileprivate var keyIdentifierByteCount: Int {
            switch self {
            case .hmac: 8
            case .ed25519: 16
            }
        }

        fileprivate var context: Text {
            switch self {
            case .hmac: "MAC0"
            case .ed25519: "Signature1"
            }
        }
    }

    /// The purpose of a proof, which enters it as `external_aad`.
    ///
    /// So a proof of one purpose never verifies for another.
    package enum Domain: String {
        case device = "wake/1/device"
        case space = "wake/1/space"
        case control = "wake/1/control"
    }

    /// Decodes exactly one object of an algorithm, without verifying it.
    package init(
        decoding bytes: ArraySlice<UInt8>,
        of algorithm: Algorithm = .hmac
    ) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.tag(algorithm.tag)
        try decoder.array(count: 4)
        protected = try decoder.bytes()
        guard try decoder.map() == 0 else { throw .unexpected(offset: decoder.offset) }
        payload = try decoder.bytes()
        proof = try decoder.bytes(count: algorithm.proofByteCount)
        try decoder.finish()
        keyIdentifier = try Self.keyIdentifier(in: protected, of: algorithm)
        self.algorithm = algorithm
    }

    /// Whether the bytes begin like an object of an algorithm.
    static func begins(_ bytes: [UInt8], like algorithm: Algorithm) -> Bool {
        bytes.first == 6 << 5 | UInt8(algorithm.tag)
    }

    /// The epoch of the MAC key.
    package var keyEpoch: UInt64 { UInt64(bigEndian: keyIdentifier) }

    /// Whether the MAC verifies with `key` for this purpose.
    package func verifies(with key: MACKey, for domain: Domain) -> Bool {
        guard case .hmac = algorithm else { return false }
        return key.verifies(proof, of: structure(domain))
    }

    /// Whether the device signed the payload for this purpose with the private key of `key`.
    package func verifies(with key: PublicKey, of device: Identifier, for domain: Domain) -> Bool {
        guard algorithm == .ed25519, Identifier(bytes: Array(keyIdentifier)) == device,
            let signature = Signature(bytes: proof)
        else { return false }
        return key.verifies(signature, of: structure(domain))
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
        encoded(payload, .hmac, key: epoch.bigEndianBytes, for: domain) { key.tag(of: $0) }
    }

    /// Signs a payload and returns the encoded object.
    package static func sign(
        _ payload: [UInt8],
        with key: SigningKey,
        of device: Identifier,
        for domain: Domain
    ) -> [UInt8] {
        encoded(payload, .ed25519, key: device.bytes, for: domain) { key.sign($0).bytes }
    }

    private static func encoded(
        _ payload: [UInt8],
        _ algorithm: Algorithm,
        key: [UInt8],
        for domain: Domain,
        prove: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let protected = protectedHeader(algorithm, key: key)
        let structure = structure(algorithm, protected[...], payload[...], domain)
        var encoder = CBOREncoder()
        encoder.tag(algorithm.tag)
        encoder.array(4)
        encoder.bytes(protected)
        encoder.map(0)
        encoder.bytes(payload)
        encoder.bytes(prove(structure))
        return encoder.bytes
    }

    private func structure(_ domain: Domain) -> [UInt8] {
        Self.structure(algorithm, protected, payload, domain)
    }

    /// Returns the MAC_structure (RFC 9052, section 6.3) or the Sig_structure (section 4.4).
    private static func structure(
        _ algorithm: Algorithm,
        _ protected: ArraySlice<UInt8>,
        _ payload: ArraySlice<UInt8>,
        _ domain: Domain
    ) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(4)
        encoder.text(algorithm.context)
        encoder.bytes(protected)
        encoder.bytes(domain.rawValue.utf8)
        encoder.bytes(payload)
        return encoder.bytes
    }

    private static func protectedHeader(_ algorithm: Algorithm, key: [UInt8]) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(2)
        encoder.unsigned(1)
        encoder.integer(algorithm.rawValue)
        encoder.unsigned(4)
        encoder.bytes(key)
        return encoder.bytes
    }

    private static func keyIdentifier(
        in protected: ArraySlice<UInt8>,
        of algorithm: Algorithm
    ) throws(CBORError) -> ArraySlice<UInt8> {
        var decoder = CBORDecoder(protected)
        guard try decoder.map() == 2, try decoder.unsigned() == 1,
            try decoder.value() == .integer(algorithm.rawValue), try decoder.unsigned() == 4
        else { throw .unexpected(offset: 0) }
        let identifier = try decoder.bytes(count: algorithm.keyIdentifierByteCount)
        try decoder.finish()
        return identifier
    }
}
