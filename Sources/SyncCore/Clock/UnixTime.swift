/// An instant in milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// It is the time of a sample or of the wall clock, and is never compared with a ``Stamp``.
public struct UnixTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
    public var milliseconds: Int64

    /// Creates the instant `milliseconds` after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The accepted range of another machine's clock: from 1970 to the year 4199.
    ///
    /// Within it, no difference or stamp computed from the value overflows.
    package static let plausible: Range<Int64> = 0..<1 << 46

    /// Orders chronologically.
    public static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
