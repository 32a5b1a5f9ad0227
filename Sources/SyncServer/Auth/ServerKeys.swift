internal import SyncCore

/// The keys that a server derives from its master key, with one HKDF label each (RFC 5869).
///
/// The master key is in a file beside the database, so a stolen database contains no keys.
struct ServerKeys: Sendable {
    private let master: Secret

    init(master: Secret) { self.master = master }

    /// Returns the 32-byte secret that a device gets at enrolment, for one key epoch.
    func deviceSecret(of device: Identifier, epoch: UInt64) -> Secret {
        master.derive("wake/1/device-key", salt: device.bytes, context: epoch.bigEndianBytes)
    }

    /// Returns the keys of the device that sealed a set, in the epoch that the set names.
    ///
    /// None for a control set, which has no MAC.
    func deviceKeys(of upload: Upload) -> DeviceKeys {
        let device = upload.header.device
        return upload.macs.map { deviceKeys(of: device, epoch: $0.outer.keyEpoch) }
            ?? DeviceKeys(device: device, secrets: [:])
    }

    /// Returns the keys of a device in one epoch; old epochs verify old signatures.
    func deviceKeys(of device: Identifier, epoch: UInt64) -> DeviceKeys {
        DeviceKeys(device: device, secrets: [epoch: deviceSecret(of: device, epoch: epoch)])
    }

    /// The key that authenticates challenges.
    var challengeSecret: Secret { master.derive("wake/1/challenge") }

    /// The key that authenticates receipts.
    var receiptSecret: Secret { master.derive("wake/1/receipt") }
}
