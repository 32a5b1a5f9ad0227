internal import SyncCore

/// The keys that a server derives from its master key, one label each (RFC 5869).
///
/// The master key stands in a file beside the database, so that a stolen copy of the database
/// holds none of them.
struct ServerKeys: Sendable {
    private let master: Secret

    init(master: Secret) {
        self.master = master
    }

    /// The 32 bytes that a device gets at its enrolment, for one epoch of its key.
    func deviceSecret(of device: Identifier, epoch: UInt64) -> Secret {
        master.derive("wake/1/device", salt: device.bytes, context: epoch.bigEndianBytes)
    }

    /// A device's keys of every epoch up to the present one: retired epochs verify what they
    /// signed.
    func deviceKeys(of device: Identifier, epoch: UInt64) -> DeviceKeys {
        let secrets = (1...max(epoch, 1)).map { ($0, deviceSecret(of: device, epoch: $0)) }
        return DeviceKeys(device: device, secrets: Dictionary(uniqueKeysWithValues: secrets))
    }

    /// What signs receipts.
    var receiptSecret: Secret { master.derive("wake/1/receipt") }
}
