internal import SyncCore

/// A member's role in a space.
enum Role: Int64, CaseIterable, Sendable {
    case owner = 0
    case admin = 1
    case editor = 2
    case contributor = 3
    case viewer = 4

    /// The name in JSON documents.
    var name: String { "\(self)" }

    var settlesHeldSets: Bool { self == .owner || self == .admin }
}

/// A person's role in a space, with the head of its log.
struct Membership: Hashable, Sendable {
    let space: Identifier
    let role: Role
    let head: UInt64
}
