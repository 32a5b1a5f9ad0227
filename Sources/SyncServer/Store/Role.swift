internal import SyncCore

/// What a member may do in a space.
enum Role: Int64, CaseIterable, Sendable {
    case owner = 0
    case admin = 1
    case editor = 2
    case contributor = 3
    case viewer = 4

    /// The name in documents.
    var name: String { "\(self)" }

    /// Whether held sets are this member's to settle.
    var settlesHeldSets: Bool { self == .owner || self == .admin }
}

/// A space and what a person is there.
struct Membership: Hashable, Sendable {
    let space: Identifier
    let role: Role
    let head: UInt64
}
