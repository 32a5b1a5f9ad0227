/// The two permanent key pairs of a device, of a recovery code or of an invitation.
package struct KeyPairs: Hashable, Sendable {
    package let signing: SigningKey
    package let agreement: AgreementKey

    package init(signing: SigningKey, agreement: AgreementKey) {
        (self.signing, self.agreement) = (signing, agreement)
    }

    /// Restores stored pairs; nil unless both parts have 32 bytes.
    package init?(signing: [UInt8], agreement: [UInt8]) {
        guard signing.count == 32, agreement.count == 32 else { return nil }
        self.signing = SigningKey(seed: Secret(bytes: signing))
        self.agreement = AgreementKey(secret: Secret(bytes: agreement))
    }

    /// Draws new pairs.
    package static func random(using generator: inout some RandomNumberGenerator) -> KeyPairs {
        KeyPairs(
            signing: SigningKey(seed: .random(using: &generator)),
            agreement: AgreementKey(secret: .random(using: &generator))
        )
    }

    /// Derives pairs from a secret of 16 bytes, for `<purpose>-sign` and `<purpose>-agree`.
    init(of secret: Secret, for purpose: String) {
        signing = SigningKey(seed: secret.derive(purpose + "-sign"))
        agreement = AgreementKey(secret: secret.derive(purpose + "-agree"))
    }

    package var publicKeys: PublicKeys {
        PublicKeys(signing: signing.publicKey, agreement: agreement.publicKey)
    }
}

extension LinkSecret {
    /// The key pairs of the invitation; the control chain has their public keys.
    package var keys: KeyPairs { KeyPairs(of: secret, for: "wake/1/link") }
}
