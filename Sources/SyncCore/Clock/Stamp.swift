/// When and by which replica a cell was written: hybrid logical time, then the replica.
///
/// Stamps order writes. They are never shown to people and never used as a cursor.
public struct Stamp: Hashable, Comparable, Sendable {
    /// 48 bits of Unix milliseconds above a 16-bit counter that carries into them; below 2^63.
    public let time: UInt64

    /// The replica that wrote.
    public let replica: Identifier

    /// The constant time of every cell that an import writes: below any other write, so importing
    /// a file again never overwrites a rename or a deletion.
    public static let importTime: UInt64 = 1

    /// Whether it says nothing of when the cell was written, as of what was imported or recorded.
    ///
    /// Such stamps lie in the first millisecond of 1970.
    public var isTimeless: Bool { time >> 16 == 0 }

    /// The first time that is not valid.
    package static let limit: UInt64 = 1 << 63

    package init(time: UInt64, replica: Identifier) {
        self.time = time
        self.replica = replica
    }

    /// The wall time inside the stamp, for diagnosis and history.
    public var wall: UnixTime {
        UnixTime(milliseconds: Int64(time >> 16))
    }

    /// Orders by time, then by replica.
    public static func < (left: Stamp, right: Stamp) -> Bool {
        left.time == right.time ? left.replica < right.replica : left.time < right.time
    }
}
