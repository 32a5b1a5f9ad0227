extension Sealer {
    /// Smaller clock errors are not corrected.
    private static let toleranceMilliseconds: Int64 = 2000

    /// Corrects the stamps of unsealed changes if this device's clock is off or they lie in the
    /// future.
    ///
    /// Each change gets its corrected wall time (``times(of:_:now:)``). The changes keep their
    /// order. Each stays above the cells that its author had seen in the same field. Only a change
    /// over a cell from the future leaves the order for that.
    ///
    /// Reissued changes were corrected before they were first sealed. They move only if they lie in
    /// the future.
    func restamp(_ space: Int64, at moment: Moment) throws {
        guard let anchor = try identity.current().anchor, let time = anchor.time(at: moment) else {
            return
        }
        let (now, wall) = (time.withinStamps, moment.wall.withinStamps)
        let tolerance = Self.toleranceMilliseconds + anchor.uncertaintyMilliseconds
        let offset = abs(now - wall) > tolerance ? now - wall : 0
        let written = try unsealed.all(space)
            .filter { !$0.change.cell.stamp.isTimeless }
            .sorted { $0.change.cell.stamp < $1.change.cell.stamp }
        let moved = try [(false, offset), (true, 0)].map { isReissued, offset in
            let group = written.filter { $0.isReissued == isReissued }
            let readings = group.map {
                ($0.change.cell.stamp.wall.milliseconds, $0.wall.withinStamps)
            }
            let isAhead = readings.contains { max($0.0, $0.1) - now > tolerance }
            guard offset != 0 || isAhead else { return false }
            let times = Self.times(of: readings, offset, now: now)
            try move(Array(zip(group, times)), now, in: space)
            return true
        }
        if moved.contains(true) { try fallBack() }
    }

    /// Returns the corrected times of writes, in order, from their stamps and wall-clock readings.
    ///
    /// - If the clock is off now, it was off by the same amount at each write.
    /// - If the clock is right now, a reading in the future shows that the clock was ahead and has
    ///   been set since. Such readings keep their distances, and precede the next write with a
    ///   right reading.
    /// - If only the stamp lies in the future, a merged cell from the future had raised it, and the
    ///   reading was right.
    private static func times(
        of readings: [(stamp: Int64, wall: Int64)],
        _ offset: Int64,
        now: Int64
    ) -> [Int64] {
        guard offset == 0 else {
            return readings.map { min(max($0.wall + offset, 0), now) }
        }
        let back = max((readings.map(\.wall).max() ?? now) - now, 0)
        var next = now
        let times = readings.reversed().map { stamp, wall in
            guard wall <= now else { return max(min(wall - back, next), 0) }
            next = stamp <= now ? stamp : wall
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

extension UnixTime {
    /// The time clamped to the range of a stamp: the clock and the server may report any value.
    fileprivate var withinStamps: Int64 { min(max(milliseconds, 0), Int64(Stamp.limit >> 16) - 1) }
}
