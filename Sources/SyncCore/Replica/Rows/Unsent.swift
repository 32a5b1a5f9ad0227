/// A written field that no set carries yet, as the table `unsealed` has it.
struct Unsent {
    let time: UInt64
    let value: [UInt8]
    /// The clock's reading when the field was written, in milliseconds since 1970.
    let wall: Int64
    var state: State

    enum State: Equatable {
        /// Written in a period of the clock (``ClockPeriods``).
        case written(period: Int64)
        /// Sealed before, with a corrected stamp.
        case reissued
        /// Not sealed until the chunk that it names is here again: the only copy was damaged.
        case waiting
    }

    /// The sum of the field in a row, over all that the table says about it.
    func sum(row: Int64, _ field: Text) -> Int64 {
        let numbers = [row, wall, state.rawValue].map(UInt64.init(bitPattern:)) + [time]
        let sum = Checksum.of(numbers.flatMap(\.bigEndianBytes) + field.utf8 + value)
        // SQLite stores a number of 32 bits with a sign in four bytes.
        return Int64(Int32(bitPattern: sum))
    }
}

extension Unsent {
    /// How far the clock's reading was ahead of the stamp, in milliseconds: almost always 0, which
    /// takes no space.
    var lead: Int64 { wall &- Int64(time >> 16) }

    init(time: UInt64, value: [UInt8], lead: Int64, state: State) {
        let wall = lead &+ Int64(time >> 16)
        self.init(time: time, value: value, wall: wall, state: state)
    }
}

/// The number in the table. The first period is 0, which takes no space in a row.
extension Unsent.State: RawRepresentable {
    var rawValue: Int64 {
        switch self {
        case .written(ClockPeriods.unknown): -1
        case .written(1): 0
        case .reissued: 1
        case .waiting: 2
        case .written(let period): period + 1
        }
    }

    init?(rawValue: Int64) {
        switch rawValue {
        case -1: self = .written(period: ClockPeriods.unknown)
        case 0: self = .written(period: 1)
        case 1: self = .reissued
        case 2: self = .waiting
        case 3...: self = .written(period: rawValue - 1)
        default: return nil
        }
    }

    /// The number of the period in which it was written, or nil if it was sealed before.
    var period: Int64? { if case .written(let period) = self { period } else { nil } }
}

extension Unsent {
    /// - Parameter wall: the clock's reading when the field was written, or nil if only the stamp is
    ///   left of it.
    init(_ cell: Cell, at wall: UnixTime? = nil, state: State = .reissued) {
        self.init(
            time: cell.stamp.time,
            value: cell.encoded,
            wall: (wall ?? cell.stamp.wall).milliseconds,
            state: state
        )
    }
}
