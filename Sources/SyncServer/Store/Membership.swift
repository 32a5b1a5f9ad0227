internal import SyncCore

/// A person's role in a space, with the head of its log.
struct Membership: Hashable, Sendable {
    let space: Identifier
    let role: Role
    let head: UInt64
}
