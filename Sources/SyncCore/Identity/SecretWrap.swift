/// The secret of a space, encrypted to an agreement key (X25519, HKDF-SHA-256, AES-256-GCM).
package struct SecretWrap: Hashable, Sendable {
    /// The device, recovery code or invitation that can decrypt it.
    package let recipient: Identifier
    /// The public key that was drawn for this wrap alone.
    package let ephemeral: PublicKey
    /// 48 bytes: the secret and the tag.
    package let bytes: [UInt8]

    static let byteCount = 48

    package init(recipient: Identifier, ephemeral: PublicKey, bytes: [UInt8]) {
        (self.recipient, self.ephemeral, self.bytes) = (recipient, ephemeral, bytes)
    }
}

/// The secret of one key epoch of a space.
package struct EpochSecret: Hashable, Sendable {
    package let space: Identifier
    package let epoch: UInt64
    /// 32 bytes.
    package let secret: Secret

    package init(space: Identifier, epoch: UInt64, secret: Secret) {
        (self.space, self.epoch, self.secret) = (space, epoch, secret)
    }

    /// The hash that the control chain publishes.
    package var hash: Digest {
        var preimage = Preimage("wake/1/secret", count: 3)
        preimage.add(space)
        preimage.add(epoch)
        preimage.add(secret.bytes)
        return Digest(of: preimage.bytes)
    }

    /// Encrypts the secret for a recipient with an ephemeral key; nil for a key of small order.
    package func wrap(
        to recipient: Identifier,
        _ agreement: PublicKey,
        with ephemeral: AgreementKey
    ) -> SecretWrap? {
        ephemeral.agree(with: agreement).map { shared in
            let key = Self.key(shared, space, epoch, recipient, ephemeral.publicKey, agreement)
            return SecretWrap(
                recipient: recipient,
                ephemeral: ephemeral.publicKey,
                bytes: key.encrypt(secret.bytes, nonce: Self.nonce, for: [])
            )
        }
    }

    /// Decrypts the secret of an epoch with the recipient's key; nil if the bytes do not match.
    package init?(
        of space: Identifier,
        epoch: UInt64,
        in wrap: SecretWrap,
        with key: AgreementKey
    ) {
        guard let shared = key.agree(with: wrap.ephemeral) else { return nil }
        let key = Self.key(
            shared,
            space,
            epoch,
            wrap.recipient,
            wrap.ephemeral,
            key.publicKey
        )
        guard let bytes = key.decrypt(wrap.bytes, nonce: Self.nonce, for: []), bytes.count == 32
        else { return nil }
        self.init(space: space, epoch: epoch, secret: Secret(bytes: bytes))
    }

    /// Each key encrypts one message only, since the ephemeral key is drawn for it.
    private static let nonce = [UInt8](repeating: 0, count: 12)

    private static func key(
        _ shared: Secret,
        _ space: Identifier,
        _ epoch: UInt64,
        _ recipient: Identifier,
        _ ephemeral: PublicKey,
        _ agreement: PublicKey
    ) -> Secret {
        var info = Preimage("wake/1/wrap", count: 5)
        info.add(space)
        info.add(epoch)
        info.add(recipient)
        info.add(ephemeral.bytes)
        info.add(agreement.bytes)
        return shared.derive(info.bytes, salt: space.bytes)
    }
}

extension EpochSecret {
    /// Encrypts the secret of the epoch before, so that who has this one can read what is older.
    ///
    /// 60 bytes: nonce, secret and tag.
    package func wrapEarlier(
        _ earlier: EpochSecret,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        earlierKey.wrap(earlier.secret.bytes, for: earlier.context, using: &generator)
    }

    /// Decrypts the secret of the epoch before; nil if the bytes do not match.
    package func earlier(in wrapped: [UInt8]) -> EpochSecret? {
        guard epoch > 1 else { return nil }
        let context = space.bytes + (epoch - 1).bigEndianBytes
        return earlierKey.unwrap(wrapped, for: context).flatMap { bytes in
            bytes.count == 32
                ? EpochSecret(space: space, epoch: epoch - 1, secret: Secret(bytes: bytes)) : nil
        }
    }

    private var earlierKey: Secret {
        secret.derive("wake/1/earlier", salt: space.bytes, context: epoch.bigEndianBytes)
    }

    private var context: [UInt8] { space.bytes + epoch.bigEndianBytes }
}

extension SecretWrap {
    func encode(into encoder: inout CBOREncoder) {
        encoder.array(3)
        encoder.bytes(recipient.bytes)
        encoder.bytes(ephemeral.bytes)
        encoder.bytes(bytes)
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 3)
        recipient = try decoder.identifier()
        ephemeral = try decoder.publicKey()
        bytes = Array(try decoder.bytes(count: Self.byteCount))
    }
}
