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

    /// Milliseconds from 1970 to the year 4199.
    ///
    /// What another machine may say of its clock, so that no difference or stamp that is made of
    /// it leaves its range.
    package static let plausible: Range<Int64> = 0..<1 << 46

    /// Orders by instant.
    public static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
