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

    /// The key of a device that signed a set, in the one epoch that it names.
    func deviceKeys(of upload: Upload) -> DeviceKeys {
        deviceKeys(of: upload.header.device, inEpoch: upload.outer.keyEpoch)
    }

    /// The keys of a device in one epoch.
    func deviceKeys(of device: Identifier, inEpoch epoch: UInt64) -> DeviceKeys {
        DeviceKeys(device: device, secrets: [epoch: deviceSecret(of: device, epoch: epoch)])
    }

    /// What signs receipts.
    var receiptSecret: Secret { master.derive("wake/1/receipt") }

    /// The receipt that a device gets for its enrolment: with it, it comes back to a server whose
    /// store was lost, or put back to a time before.
    func enrolmentReceipt(of device: Identifier, user: Identifier) -> [UInt8] {
        enrolmentKey.tag(of: device.bytes + user.bytes)
    }

    /// Whether this server, with whatever store, once let the device of this person in.
    func isReceipt(_ receipt: [UInt8], of device: Identifier, user: Identifier) -> Bool {
        enrolmentKey.verifies(receipt, of: device.bytes + user.bytes)
    }

    private var enrolmentKey: MACKey { MACKey(master.derive("wake/1/enrolment").bytes) }
}
