/// Issues the stamps of one replica, after Kulkarni et al., "Logical Physical Clocks" (2014).
///
/// A pure value: the caller reads the wall clock and stores ``last`` in the transaction that used
/// it. A tick never fails, however wrong the wall clock is.
public struct StampClock: Sendable, Equatable {
    /// The replica whose stamps this clock issues.
    public let replica: Identifier

    /// The greatest time issued or observed; see ``Stamp/time``.
    public private(set) var last: UInt64

    package init(replica: Identifier, last: UInt64) {
        self.replica = replica
        self.last = last
    }

    /// The next stamp of this replica.
    ///
    /// A full counter carries into the milliseconds. A wall clock before 1970 counts as its second
    /// millisecond, for the first is that of timeless stamps, and one past the range of a stamp as its
    /// end. Only after a cell with the greatest stamp was
    /// merged is a stamp given twice; then the bytes decide.
    public mutating func tick(at now: UnixTime) -> Stamp {
        let wall = UInt64(min(max(now.milliseconds, 1), Int64(Stamp.limit >> 16) - 1)) << 16
        last = min(max(last + 1, wall), Stamp.limit - 1)
        return Stamp(time: last, replica: replica)
    }

    /// Moves past a stamp that was merged, so that our next write wins over it.
    public mutating func observe(_ time: UInt64) {
        last = max(last, time)
    }
}
