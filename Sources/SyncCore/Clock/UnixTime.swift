/// An instant in milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The time of a sample or of the wall clock. It is never compared with a ``Stamp``.
public struct UnixTime: Hashable, Comparable, Sendable {
    /// Milliseconds since the epoch; negative before 1970.
    public var milliseconds: Int64

    /// The instant at `milliseconds` since the epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders by instant.
    public static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
