/// The stamp of a write: hybrid logical clock time, then replica.
///
/// Stamps order writes. They are never shown to people and never used as a cursor.
public struct Stamp: Hashable, Comparable, Sendable {
    /// Unix milliseconds in the upper 48 bits and a counter in the lower 16, which carries; below
    /// 2^63.
    public let time: UInt64

    /// The replica that made the write.
    public let replica: Identifier

    /// The constant time of every imported cell.
    ///
    /// It is below every edit, so importing a file again never overwrites a rename or a deletion. A
    /// recorded chunk has this time plus the number of its samples.
    public static let importTime: UInt64 = 1

    /// Whether the stamp does not tell when the cell was written, as for imported and recorded
    /// cells.
    ///
    /// Such stamps lie in the first millisecond of 1970.
    public var isTimeless: Bool { time >> 16 == 0 }

    /// The lowest invalid time.
    package static let limit: UInt64 = 1 << 63

    package init(time: UInt64, replica: Identifier) { (self.time, self.replica) = (time, replica) }

    /// The wall-clock part of the stamp, for diagnosis and history.
    public var wall: UnixTime { UnixTime(milliseconds: Int64(time >> 16)) }

    /// Orders by time, then by replica.
    public static func < (left: Stamp, right: Stamp) -> Bool {
        left.time == right.time ? left.replica < right.replica : left.time < right.time
    }
}
