/// The check of the permanent keys: the device's id is their hash.
extension LocalIdentity {
    /// Throws ``ReplicaError/damaged(_:)`` if the stored keys are not those of the stored device id.
    ///
    /// What is signed with other keys would look forged to everybody.
    package func checkKeys() throws {
        if try !current().hasItsKeys { throw ReplicaError.damaged(.keys) }
    }

    /// Restores the keys and the device id if one bit of them was flipped.
    ///
    /// Throws ``ReplicaError/damagedKeys`` if more is wrong: then nothing has the keys any more.
    func restoreKeys() throws {
        guard let keys = try current().restoredKeys else { throw ReplicaError.damagedKeys }
        try database.run(
            """
            UPDATE self SET device = \(keys.publicKeys.device),
                signing_key = \(keys.signing.seed.bytes), agreement_key = \(keys.agreement.secret.bytes)
            """
        )
    }
}

extension DeviceIdentity {
    /// Whether the device's id follows from the keys.
    var hasItsKeys: Bool { keys.publicKeys.device == device }

    /// The keys before one bit of them, or of the id, was flipped; nil if more is wrong.
    var restoredKeys: KeyPairs? {
        let difference = keys.publicKeys.device.number ^ device.number
        return difference.nonzeroBitCount <= 1 ? keys : keys.withOneBitFlipped(of: device)
    }
}

extension KeyPairs {
    /// The keys of a device that differ from these in one bit; nil if there are none.
    fileprivate func withOneBitFlipped(of device: Identifier) -> KeyPairs? {
        let signings = signing.seed.variants.lazy.map {
            KeyPairs(signing: SigningKey(seed: $0), agreement: agreement)
        }
        let agreements = agreement.secret.variants.lazy.map {
            KeyPairs(signing: signing, agreement: AgreementKey(secret: $0))
        }
        return signings.first { $0.publicKeys.device == device }
            ?? agreements.first { $0.publicKeys.device == device }
    }
}

extension Secret {
    /// The secrets that differ from this one in one bit.
    fileprivate var variants: [Secret] {
        (0..<bytes.count * 8).map { bit in
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            return Secret(bytes: flipped)
        }
    }
}
