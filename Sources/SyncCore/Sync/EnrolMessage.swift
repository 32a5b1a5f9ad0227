/// A request to `POST /v1/enrol`, by which a device enters a space or gets its MAC key again.
///
/// CBOR: `{? 0: challenge, ? 1: token, ? 2: [[id, signature], …], ? 3: space, ? 4: number of control
/// sets known, ? 5: [refill-item as bytes, …], ? 6: device name, ? 7: device, ? 8: key epoch}`.
/// Without a challenge, the reply has nothing but one.
package struct EnrolRequest: Equatable, Sendable {
    /// The server's challenge, which the signatures cover.
    package var challenge: String?
    /// The token of a link by `wake-server invite`, 32 bytes.
    package var token: [UInt8]?
    /// Signatures by invitations and by devices with a card (``EnrolProof``).
    package var proofs: [EnrolProof] = []
    /// The space; nil to have it found by the card that signed.
    package var space: Identifier?
    /// The number of control sets that the reply may leave out.
    package var known: UInt64 = 0
    /// Control sets in the order of their indices, with receipts if the device has them.
    package var items: [[UInt8]] = []
    /// The device's name, as its owner chose it.
    package var name: String?
    /// The device whose MAC key is asked for; it must be among the signers.
    package var device: Identifier?
    /// The key epoch above which the MAC key must be.
    package var keyEpoch: UInt64 = 0

    package init() {}
}

/// A signature that proves the possession of a key now, at this server.
package struct EnrolProof: Hashable, Sendable {
    /// The id of a device, of a recovery code or of an invitation.
    package let signer: Identifier
    package let signature: Signature

    package init(
        _ signer: Identifier,
        _ key: SigningKey,
        challenge: String,
        authority: String
    ) {
        self.signer = signer
        signature = key.sign(Self.preimage(signer, challenge: challenge, authority: authority))
    }

    /// Whether the owner of a key made the signature for this challenge and server.
    package func verifies(with key: PublicKey, challenge: String, authority: String) -> Bool {
        key.verifies(
            signature,
            of: Self.preimage(signer, challenge: challenge, authority: authority)
        )
    }

    private static func preimage(
        _ signer: Identifier,
        challenge: String,
        authority: String
    ) -> [UInt8] {
        var preimage = Preimage("wake/1/enrol", count: 3)
        preimage.add(Text(authority))
        preimage.add(Array(challenge.utf8))
        preimage.add(signer)
        return preimage.bytes
    }
}

extension EnrolRequest {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, challenge) { $0.text(Text($1)) }
            map.add(1, token) { $0.bytes($1) }
            map.add(2, list: proofs) {
                $0.array(2)
                $0.bytes($1.signer.bytes)
                $0.bytes($1.signature.bytes)
            }
            map.add(3, space) { $0.bytes($1.bytes) }
            map.add(4, known == 0 ? nil : known) { $0.unsigned($1) }
            map.add(5, list: items) { $0.bytes($1) }
            map.add(6, name) { $0.text(Text($1)) }
            map.add(7, device) { $0.bytes($1.bytes) }
            map.add(8, keyEpoch == 0 ? nil : keyEpoch) { $0.unsigned($1) }
        }
    }

    /// Decodes a request; does not decode the refill items.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        challenge = try decoder.has(0) ? decoder.text().string : nil
        token = try decoder.has(1) ? Array(decoder.bytes(count: 32)) : nil
        proofs = try decoder.has(2) ? decoder.list(EnrolProof.init(from:)) : []
        space = try decoder.has(3) ? decoder.identifier() : nil
        known = try decoder.has(4) ? decoder.nonZero() : 0
        items = try decoder.has(5) ? decoder.byteStrings() : []
        name = try decoder.has(6) ? decoder.text().string : nil
        device = try decoder.has(7) ? decoder.identifier() : nil
        keyEpoch = try decoder.has(8) ? decoder.nonZero() : 0
        try decoder.closeMap()
        try decoder.finish()
    }
}

extension EnrolProof {
    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 2)
        (signer, signature) = (try decoder.identifier(), try decoder.signature())
    }
}

/// The reply to an ``EnrolRequest``.
///
/// CBOR: `{0: challenge, ? 1: space, ? 2: [log-entry as bytes, …], ? 3: chunk of wraps, ? 4: [result,
/// …], ? 5: [key epoch, secret]}`.
package struct EnrolReply: Equatable, Sendable {
    /// The challenge for the next request.
    package var challenge: String
    package var space: Identifier?
    /// The accepted control sets from the number on that the request named.
    package var controls: [[UInt8]] = []
    /// The chunk of wraps of the newest key epoch.
    package var wraps: [UInt8]?
    /// The result for each item of the request.
    package var results: [PushResult] = []
    /// The epoch and the 32 bytes of the device secret, from which MAC keys are derived; nil if the
    /// device is not in the space.
    package var key: (epoch: UInt64, secret: Secret)? {
        get { keyParts.map { ($0.epoch, $0.secret) } }
        set { keyParts = newValue.map { Key(epoch: $0.epoch, secret: $0.secret) } }
    }
    private var keyParts: Key?

    private struct Key: Equatable, Sendable {
        let epoch: UInt64
        let secret: Secret
    }

    package init(challenge: String) { self.challenge = challenge }
}

extension EnrolReply {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, challenge) { $0.text(Text($1)) }
            map.add(1, space) { $0.bytes($1.bytes) }
            map.add(2, list: controls) { $0.bytes($1) }
            map.add(3, wraps) { $0.bytes($1) }
            map.add(4, list: results) { $1.encode(into: &$0) }
            map.add(5, keyParts) {
                $0.array(2)
                $0.unsigned($1.epoch)
                $0.bytes($1.secret.bytes)
            }
        }
    }

    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let challenge = try decoder.has(0) ? decoder.text().string : nil
        space = try decoder.has(1) ? decoder.identifier() : nil
        controls = try decoder.has(2) ? decoder.byteStrings() : []
        wraps = try decoder.has(3) ? Array(decoder.bytes()) : nil
        results = try decoder.has(4) ? decoder.list(PushResult.init(from:)) : []
        if try decoder.has(5) {
            try decoder.array(count: 2)
            keyParts = Key(
                epoch: try decoder.unsigned(),
                secret: Secret(bytes: Array(try decoder.bytes(count: 32)))
            )
        }
        try decoder.closeMap()
        try decoder.finish()
        guard let challenge else { throw .unexpected(offset: 0) }
        self.challenge = challenge
    }
}
