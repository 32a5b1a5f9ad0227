/// A written field that no set carries yet, as the table `unsealed` has it.
struct Unsent {
    let time: UInt64
    let value: [UInt8]
    /// The clock's reading when the field was written, in milliseconds since 1970.
    let wall: Int64
    let state: State
    /// The number of the period in which it was written (``ClockPeriods``).
    var period = ClockPeriods.unknown

    enum State: Int64 {
        case written = 0
        /// Sealed before, with a corrected stamp.
        case reissued = 1
        /// Not sealed until the chunk that it names is here again: the only copy was damaged.
        case waiting = 2
    }

    /// The sum of the field in a row, over all that the table says about it.
    func sum(row: Int64, _ field: Text) -> Int64 {
        let numbers =
            [UInt64(bitPattern: row), time] + [wall, period].map(UInt64.init(bitPattern:))
        let sum = Checksum.of(
            numbers.flatMap(\.bigEndianBytes) + [UInt8(state.rawValue)] + field.utf8 + value
        )
        // SQLite stores a number of 32 bits with a sign in four bytes.
        return Int64(Int32(bitPattern: sum))
    }
}

extension Unsent {
    /// How far the clock's reading was ahead of the stamp, in milliseconds: almost always 0, which
    /// takes no space.
    var lead: Int64 { wall &- Int64(time >> 16) }

    init(time: UInt64, value: [UInt8], lead: Int64, state: State, period: Int64) {
        let wall = lead &+ Int64(time >> 16)
        self.init(time: time, value: value, wall: wall, state: state, period: period)
    }
}

extension Unsent {
    /// - Parameter wall: the clock's reading when the field was written, or nil if only the stamp is
    ///   left of it.
    init(
        _ cell: Cell,
        at wall: UnixTime? = nil,
        in period: Int64? = nil,
        state: State = .reissued
    ) {
        self.init(
            time: cell.stamp.time,
            value: cell.encoded,
            wall: (wall ?? cell.stamp.wall).milliseconds,
            state: state,
            period: period ?? ClockPeriods.unknown
        )
    }
}
