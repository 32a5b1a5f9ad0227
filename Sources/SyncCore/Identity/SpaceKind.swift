/// The kind of a space.
public enum SpaceKind: String, Sendable {
    /// A user's own space.
    case own
    /// The space of a crew or a club.
    case shared
}
