internal import SyncCore

/// A single-use token that lets a device in.
struct Invitation: Hashable, Sendable {
    /// The SHA-256 of the token.
    let token: Digest
    /// Whose device it will be.
    let user: Identifier
    /// The space whose wrapped key it gets; nil for a first device.
    let space: Identifier?
    let wrappedKey: [UInt8]?
    let expires: UnixTime
}
