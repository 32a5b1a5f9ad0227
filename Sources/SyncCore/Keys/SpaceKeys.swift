/// The keys of one space by epoch, which only its members hold.
package struct SpaceKeys: Sendable, Equatable {
    package let space: Identifier
    /// The secrets by key epoch; the highest epoch signs.
    package let secrets: [UInt64: Secret]
    /// Cached, because a log has many sets under one key.
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

    /// The epoch that signs, or nil if no key is held.
    package var epoch: UInt64? { secrets.keys.max() }

    /// Returns the derived secret of the inner MAC, or nil if the epoch is unknown.
    package func macSecret(epoch: UInt64) -> Secret? { macSecrets[epoch] }

    /// Returns the key of the inner MAC, or nil if the epoch is unknown.
    package func macKey(epoch: UInt64) -> MACKey? {
        macSecret(epoch: epoch).map { MACKey($0.bytes) }
    }
}

/// The keys of one device by epoch, which the device and the server hold.
package struct DeviceKeys: Sendable, Equatable {
    package let device: Identifier
    /// The secrets by key epoch; the highest epoch signs.
    package private(set) var secrets: [UInt64: Secret]

    package init(device: Identifier, secrets: [UInt64: Secret]) {
        self.device = device
        self.secrets = secrets
    }

    /// The epoch that signs, or nil if no key is held.
    package var epoch: UInt64? { secrets.keys.max() }

    /// Returns the derived secret of the outer MAC, or nil if the epoch is unknown.
    package func macSecret(epoch: UInt64) -> Secret? { derived("wake/1/device-mac", epoch) }

    /// Returns the key of the outer MAC, or nil if the epoch is unknown.
    package func macKey(epoch: UInt64) -> MACKey? {
        macSecret(epoch: epoch).map { MACKey($0.bytes) }
    }

    /// Returns the key that signs requests (RFC 9421), or nil if the epoch is unknown.
    package func requestKey(epoch: UInt64) -> MACKey? {
        derived("wake/1/device-request", epoch).map { MACKey($0.bytes) }
    }

    private func derived(_ label: String, _ epoch: UInt64) -> Secret? {
        secrets[epoch]?.derive(label, salt: device.bytes, context: epoch.bigEndianBytes)
    }
}
