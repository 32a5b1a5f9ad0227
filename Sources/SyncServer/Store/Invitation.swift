internal import SyncCore

/// A single-use token that enrols a device.
struct Invitation: Hashable, Sendable {
    /// The SHA-256 of the token.
    let token: Digest
    /// The person to whom the new device will belong.
    let user: Identifier
    /// The space whose wrapped key the device gets; nil for a first device.
    let space: Identifier?
    let wrappedKey: [UInt8]?
    let expires: UnixTime
}
