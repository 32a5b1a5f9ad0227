/// The keys of one space, by epoch: only members hold them.
package struct SpaceKeys: Sendable, Equatable {
    /// The space.
    package let space: Identifier
    /// The secrets by epoch; the greatest epoch signs.
    package let secrets: [UInt64: Secret]
    /// Derived once: a log has many sets under one key.
    private let macSecrets: [UInt64: Secret]

    package init(space: Identifier, secrets: [UInt64: Secret]) {
        self.space = space
        self.secrets = secrets
        macSecrets = Dictionary(
            uniqueKeysWithValues: secrets.map { epoch, secret in
                let salt = space.bytes
                let context = epoch.bigEndianBytes
                return (epoch, secret.derive("wake/1/space-mac", salt: salt, context: context))
            }
        )
    }

    /// The epoch that signs, nil where no key is held.
    package var epoch: UInt64? { secrets.keys.max() }

    /// The derived key of the inner MAC.
    package func macSecret(epoch: UInt64) -> Secret? {
        macSecrets[epoch]
    }

    /// The inner MAC's key, ready for use.
    package func macKey(epoch: UInt64) -> MACKey? {
        macSecret(epoch: epoch).map { MACKey($0.bytes) }
    }
}

/// The keys of one device, by epoch: the device and the server hold them.
package struct DeviceKeys: Sendable, Equatable {
    /// The device.
    package let device: Identifier
    /// The secrets by epoch; the greatest epoch signs.
    package private(set) var secrets: [UInt64: Secret]

    package init(device: Identifier, secrets: [UInt64: Secret]) {
        self.device = device
        self.secrets = secrets
    }

    /// The epoch that signs, nil where no key is held.
    package var epoch: UInt64? { secrets.keys.max() }

    /// The derived key of the outer MAC.
    package func macSecret(epoch: UInt64) -> Secret? {
        derived("wake/1/device-mac", epoch)
    }

    /// The outer MAC's key, ready for use.
    package func macKey(epoch: UInt64) -> MACKey? {
        macSecret(epoch: epoch).map { MACKey($0.bytes) }
    }

    /// The key that signs requests (RFC 9421).
    package func requestKey(epoch: UInt64) -> MACKey? {
        derived("wake/1/device-request", epoch).map { MACKey($0.bytes) }
    }

    private func derived(_ label: String, _ epoch: UInt64) -> Secret? {
        secrets[epoch]?.derive(label, salt: device.bytes, context: epoch.bigEndianBytes)
    }
}
