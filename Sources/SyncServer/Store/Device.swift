internal import SyncCore

/// A device as the server knows it.
struct Device: Hashable, Sendable {
    let id: Identifier
    let user: Identifier
    let name: String
    let keyEpoch: UInt64
    let enrolled: UnixTime
    let isRevoked: Bool
    /// Whether it has signed a request; its invitation then cannot be used again.
    let hasSigned: Bool
}

/// A device that asks to be enrolled.
struct NewDevice: Hashable, Sendable {
    let id: Identifier
    let name: String
    /// X25519, 32 bytes.
    let publicKey: [UInt8]
    /// The person's own space, if the device has one; only that person's invitation enrols it.
    var space: Identifier?
}

/// The result of an enrolment.
struct Enrolled: Hashable, Sendable {
    let device: Device
    /// The person's own space and its wrapped key; nil for a first device.
    let space: Identifier?
    let wrappedKey: [UInt8]?

    init(_ device: Device, by invitation: Invitation) {
        self.device = device
        space = invitation.space
        wrappedKey = invitation.wrappedKey
    }
}
