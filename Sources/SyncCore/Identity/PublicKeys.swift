/// The two permanent public keys of a device, of a recovery code or of an invitation.
package struct PublicKeys: Hashable, Sendable {
    /// The Ed25519 key, which verifies signatures.
    package let signing: PublicKey
    /// The X25519 key, to which secrets are encrypted.
    package let agreement: PublicKey

    package init(signing: PublicKey, agreement: PublicKey) {
        (self.signing, self.agreement) = (signing, agreement)
    }

    /// The id of the device that has these keys.
    package var device: Identifier { identifier("wake/1/device-id") }

    /// The id of the invitation that has these keys.
    package var invitation: Identifier { identifier("wake/1/invite") }

    /// The id of the user whose first device has these keys.
    package var user: Identifier { signing.user }

    private func identifier(_ purpose: Text) -> Identifier {
        var preimage = Preimage(purpose, count: 2)
        preimage.add(self)
        return preimage.identifier
    }
}

extension PublicKey {
    /// The id of the user whom this signing key founds.
    package var user: Identifier {
        var preimage = Preimage("wake/1/user", count: 1)
        preimage.add(bytes)
        return preimage.identifier
    }
}

extension PublicKeys {
    func encode(into encoder: inout CBOREncoder) {
        encoder.array(2)
        encoder.bytes(signing.bytes)
        encoder.bytes(agreement.bytes)
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 2)
        self.init(signing: try decoder.publicKey(), agreement: try decoder.publicKey())
    }
}

extension CBORDecoder {
    mutating func publicKey() throws(CBORError) -> PublicKey {
        let start = offset
        guard let key = PublicKey(bytes: try bytes()) else { throw .unexpected(offset: start) }
        return key
    }

    mutating func signature() throws(CBORError) -> Signature {
        let start = offset
        guard let signature = Signature(bytes: try bytes()) else {
            throw .unexpected(offset: start)
        }
        return signature
    }
}
