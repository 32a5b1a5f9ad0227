/// What a space is to its members.
public enum SpaceKind: String, Sendable {
    /// A person's own.
    case own
    /// A crew's or a club's.
    case shared
}
