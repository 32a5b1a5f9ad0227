/// The two permanent key pairs of a device, of a recovery code or of an invitation.
package struct KeyPairs: Hashable, Sendable {
    package let signing: SigningKey
    package let agreement: AgreementKey

    package init(signing: SigningKey, agreement: AgreementKey) {
        (self.signing, self.agreement) = (signing, agreement)
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
