internal import SyncCore

/// A device as the server knows it.
struct Device: Hashable, Sendable {
    let id: Identifier
    let user: Identifier
    let name: String
    let keyEpoch: UInt64
    let enrolled: UnixTime
    let isRevoked: Bool
    /// Whether it has made a request: then it has its keys, and its link is worth nothing.
    let hasSigned: Bool
}

/// A device that asks to be enrolled.
struct NewDevice: Hashable, Sendable {
    let id: Identifier
    let name: String
    /// X25519, 32 bytes.
    let publicKey: [UInt8]
    /// The own space that it brings along: nobody with another one enrols it.
    var space: Identifier?
}

/// What a device gets by its enrolment.
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
