internal import SyncCore

/// A single-use token of the operator, with which a new person's space is hosted.
struct Invitation: Hashable, Sendable {
    /// The SHA-256 of the token.
    let token: Digest
    /// The person's name, for the operator.
    let name: String
    let expires: UnixTime
}
