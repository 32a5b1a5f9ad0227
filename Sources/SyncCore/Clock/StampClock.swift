/// The hybrid logical clock of one replica (Kulkarni et al., "Logical Physical Clocks", 2014).
///
/// A pure value: the caller passes in the wall time, and stores ``last`` in the transaction that
/// used the clock. A tick never fails, whatever the wall clock says.
public struct StampClock: Sendable, Equatable {
    /// The replica for which this clock issues stamps.
    public let replica: Identifier

    /// The highest time issued or observed (see ``Stamp/time``).
    public private(set) var last: UInt64

    /// Issues the next stamp of this replica.
    ///
    /// A full counter carries into the milliseconds. The wall clock is limited to valid times;
    /// below, the limit is the second millisecond of 1970, because the first is that of timeless
    /// stamps. At the highest valid time the clock repeats its stamp, and the value's bytes decide.
    public mutating func tick(at now: UnixTime) -> Stamp {
        let wall = UInt64(min(max(now.milliseconds, 1), Int64(Stamp.limit >> 16) - 1)) << 16
        last = min(max(last + 1, wall), Stamp.limit - 1)
        return Stamp(time: last, replica: replica)
    }

    /// Advances the clock past a merged stamp, so that this replica's next write wins over it.
    public mutating func observe(_ time: UInt64) { last = max(last, time) }
}
