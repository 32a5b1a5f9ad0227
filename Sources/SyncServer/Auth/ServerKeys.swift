internal import SyncCore

/// The keys that a server derives from its master key, with one HKDF label each (RFC 5869).
///
/// The master key is in a file beside the database, so a stolen database contains no keys.
struct ServerKeys: Sendable {
    private let master: Secret

    init(master: Secret) { self.master = master }

    /// Returns the 32-byte secret that a device gets at enrolment, for one key epoch.
    func deviceSecret(of device: Identifier, epoch: UInt64) -> Secret {
        master.derive("wake/1/device", salt: device.bytes, context: epoch.bigEndianBytes)
    }

    /// Returns a device's keys of every epoch up to `epoch`; old epochs verify old signatures.
    func deviceKeys(of device: Identifier, epoch: UInt64) -> DeviceKeys {
        let secrets = (1...max(epoch, 1)).map { ($0, deviceSecret(of: device, epoch: $0)) }
        return DeviceKeys(device: device, secrets: Dictionary(uniqueKeysWithValues: secrets))
    }

    /// Returns the keys of the device that signed a set, in the epoch that the set names.
    func deviceKeys(of upload: Upload) -> DeviceKeys {
        deviceKeys(of: upload.header.device, inEpoch: upload.outer.keyEpoch)
    }

    func deviceKeys(of device: Identifier, inEpoch epoch: UInt64) -> DeviceKeys {
        DeviceKeys(device: device, secrets: [epoch: deviceSecret(of: device, epoch: epoch)])
    }

    /// The key that authenticates challenges.
    var challengeSecret: Secret { master.derive("wake/1/challenge") }

    /// The key that authenticates receipts.
    var receiptSecret: Secret { master.derive("wake/1/receipt") }

    /// Returns the receipt that a device gets at enrolment.
    ///
    /// With it the device can return to a server whose store was lost or restored.
    func enrolmentReceipt(of device: Identifier, user: Identifier) -> [UInt8] {
        enrolmentKey.tag(of: device.bytes + user.bytes)
    }

    /// Whether this server once enrolled the device for this person, with whatever store.
    func isReceipt(_ receipt: [UInt8], of device: Identifier, user: Identifier) -> Bool {
        enrolmentKey.verifies(receipt, of: device.bytes + user.bytes)
    }

    private var enrolmentKey: MACKey { MACKey(master.derive("wake/1/enrolment").bytes) }
}
