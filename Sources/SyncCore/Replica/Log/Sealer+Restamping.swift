extension Sealer {
    /// Corrects the stamps of unsealed changes that a wrong clock made, or that lie in the future.
    ///
    /// Each change gets its true time, as far as it is known (``times(of:now:_:)``). The changes keep
    /// their order. Each stays above the cells that its author had seen in the same field. Only a
    /// change over a cell from the future leaves the order for that.
    ///
    /// Reissued changes were corrected before they were first sealed. They move only if they lie in
    /// the future.
    func restamp(_ space: Int64, at moment: Moment) throws {
        guard let anchor = try identity.current().anchor, let time = anchor.time(at: moment) else {
            return
        }
        let now = time.withinStamps
        let tolerance = Int64(clamping: anchor.toleranceMilliseconds)
        let error = ClockPeriod(of: moment, anchor).correction ?? 0
        let periods = try clockPeriods.all()
        let changes = try unsealed.all(space)
            .filter { !$0.change.cell.stamp.isTimeless }
            .sorted { $0.change.cell.stamp < $1.change.cell.stamp }
        let moved = try [true, false].map { isReissued in
            let group = changes.filter { $0.isReissued == isReissued }
            let readings = group.map { ClockReading(of: $0, in: periods) }
            let isAhead = group.contains {
                let stamp = $0.change.cell.stamp.wall.milliseconds
                return max(stamp, $0.wall.withinStamps) - now > tolerance
            }
            let isOff = !isReissued && (error != 0 || readings.contains { $0.correction ?? 0 != 0 })
            guard isAhead || isOff else { return false }
            let times = Self.times(of: readings, now: now, isReissued ? 0 : error)
            try move(Array(zip(group, times)), now, in: space)
            return true
        }
        if moved.contains(true) { try fallBack() }
    }

    /// Returns the true times of writes, in order, as far as they are known.
    ///
    /// - If the true time is known of a period, its readings have the same error.
    /// - If not, the clock is taken to have the error that it had in the next known period. If a
    ///   reading then lies after the next one, the clock was ahead and has been set since: all
    ///   readings of the period keep their distances and precede that one.
    ///
    /// - Parameter error: the true time minus the wall clock now.
    private static func times(of readings: [ClockReading], now: Int64, _ error: Int64) -> [Int64] {
        var (next, nextError) = (now, error)
        var ahead: [Int64: Int64] = [:]
        let times = readings.reversed().map { reading in
            let corrected = reading.wall &+ (reading.correction ?? nextError)
            var time = UnixTime(milliseconds: corrected).withinStamps
            if let correction = reading.correction {
                nextError = correction
            } else {
                let excess = max(ahead[reading.period] ?? 0, time - next)
                ahead[reading.period] = excess
                time -= excess
            }
            next = min(max(time, 0), next)
            return next
        }
        return times.reversed()
    }

    /// Gives changes new stamps with their corrected times.
    private func move(
        _ writes: [(written: UnsealedChange, time: Int64)],
        _ now: Int64,
        in space: Int64
    ) throws {
        let queued = try greatestQueued(at: Set(writes.map(\.written.change.key)), in: space)
        var (previous, raised): (UInt64, UInt64) = (0, 0)
        for (written, time) in writes {
            let change = written.change
            var stored = try rows.open(space, change.key.collection, change.key.row)
            let base = stored.base[change.key.field]
            // A reissued change may be older than a cell that its author had not seen.
            let seen = max(
                base.map { $0 < change.cell ? $0.stamp.time : 0 } ?? 0,
                queued[change.key].map { $0 < change.cell.stamp.time ? $0 : 0 } ?? 0
            )
            // A cell from the future raises only the changes over it, not all later ones.
            let isOfFuture = seen >> 16 > UInt64(now)
            let floor = isOfFuture ? 0 : seen + 1
            previous = min(max(UInt64(time) << 16, previous + 1, floor), Stamp.limit - 1)
            if isOfFuture { raised = min(max(seen, raised) + 1, Stamp.limit - 1) }
            let stamp = isOfFuture ? raised : previous
            let cell = Cell(
                stamp: Stamp(time: stamp, replica: change.cell.stamp.replica),
                encoded: change.cell.encoded
            )
            stored.overlay[change.key.field] = cell
            let unsent = Unsent(cell, at: written.wall, state: written.state)
            try unsealed.put(stored.number, change.key.field, unsent, isForced: true)
            try rows.save(stored)
        }
    }

    /// Returns the greatest stamp time of the queued sets for each key.
    private func greatestQueued(at keys: Set<Key>, in space: Int64) throws -> [Key: UInt64] {
        var greatest: [Key: UInt64] = [:]
        try sets.eachQueued(in: space) { set in
            for change in try sets.readable(set) where keys.contains(change.key) {
                greatest[change.key] = max(greatest[change.key] ?? 0, change.cell.stamp.time)
            }
        }
        return greatest
    }

    /// Sets the clock back to the greatest stamp that this replica holds.
    private func fallBack() throws {
        let merged = try database.first("SELECT max(greatest) FROM space") { $0.unsigned(0) } ?? 0
        let written = try database.first("SELECT max(time) FROM unsealed") { $0.unsigned(0) } ?? 0
        var queued: UInt64 = 0
        for space in try database.all("SELECT number FROM space", read: { $0.integer(0) }) {
            try sets.eachQueued(in: space) {
                queued = max(queued, $0.upload.header.stamps.upperBound)
            }
        }
        try database.run("UPDATE self SET clock = \(max(merged, written, queued))")
    }
}

/// What the clock showed at a write.
private struct ClockReading {
    /// The wall clock, in milliseconds.
    let wall: Int64
    /// The number of the period, or ``ClockPeriods/unknown``.
    let period: Int64
    /// See ``ClockPeriod/correction``; nil for a reissued change.
    let correction: Int64?

    init(of change: UnsealedChange, in periods: [Int64: ClockPeriod]) {
        wall = change.wall.milliseconds
        period = change.state.period ?? ClockPeriods.unknown
        correction = change.isReissued ? nil : periods[period]?.correction
    }
}

extension UnixTime {
    /// The time clamped to the range of a stamp: the clock and the server may report any value.
    fileprivate var withinStamps: Int64 { min(max(milliseconds, 0), Int64(Stamp.limit >> 16) - 1) }
}
