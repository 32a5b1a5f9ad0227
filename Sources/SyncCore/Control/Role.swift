/// What a member may do in a space, in ascending order of rights.
public enum Role: String, CaseIterable, Comparable, Sendable {
    /// Reads, and writes their own settings.
    case viewer
    /// Creates rows, and edits those that they made.
    case contributor
    /// Writes all data.
    case editor
    /// Lets people in, removes them and gives roles, but those of admins and owners.
    case admin
    case owner

    /// Orders roles by their rights.
    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    /// Whether a member of this role may change the role of one with another.
    ///
    /// An owner may change that of every member, an admin that of those below admins.
    package func mayGovern(_ other: Role) -> Bool {
        self == .owner || (self == .admin && other < .admin)
    }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .contributor: 1
        case .editor: 2
        case .admin: 3
        case .owner: 4
        }
    }
}
