extension Sealer {
    /// A clock that is off by no more is left alone.
    private static let toleranceMilliseconds: Int64 = 2000

    /// Corrects the stamps of unsealed changes when this device's clock is known to be off, or
    /// they lie in the future.
    ///
    /// Each gets the time that the clock said when it was written, corrected (``times(of:_:now:)``);
    /// they keep their order, and each stays above the cells that its author had seen in the same
    /// place, which only for a cell from the future takes it out of that order. What is written again was corrected before it was sealed first, and only leaves the
    /// future.
    func restamp(_ space: Int64, at moment: Moment) throws {
        guard let anchor = try identity.current().anchor, let time = anchor.time(at: moment) else {
            return
        }
        let (now, wall) = (time.withinStamps, moment.wall.withinStamps)
        let tolerance = Self.toleranceMilliseconds + anchor.uncertaintyMilliseconds
        let offset = abs(now - wall) > tolerance ? now - wall : 0
        let written = try unsealed.writtenAt(space)
        let changes = try unsealed.changes(space)
            .filter { !$0.cell.stamp.isTimeless }
            .sorted { $0.cell.stamp < $1.cell.stamp }
        let groups = Dictionary(grouping: changes) { written[$0.key]?.isReissued ?? false }
        let moved = try [(false, offset), (true, 0)].map { isReissued, offset in
            let group = (groups[isReissued] ?? []).map { change in
                (change, written[change.key]?.wall.withinStamps ?? now)
            }
            let readings = group.map { ($0.0.cell.stamp.wall.milliseconds, $0.1) }
            let isAhead = readings.contains { max($0.0, $0.1) - now > tolerance }
            guard offset != 0 || isAhead else { return false }
            let times = Self.times(of: readings, offset, now: now)
            try move(Array(zip(group.map(\.0), times)), now, in: space)
            return true
        }
        if moved.contains(true) { try fallBack() }
    }

    /// When changes were written, in their order, from their stamps and what the clock said.
    ///
    /// A clock that is off now was off then by as much. One that is right now and told a time that is
    /// yet to come was set right since: what it stamped keeps its distances, and came before the
    /// next that it stamped rightly. A stamp alone lies in the future after a cell was merged that
    /// does; then the clock told the time.
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

    /// Stamps changes anew with the times at which they were written.
    private func move(
        _ changes: [(change: Change, time: Int64)],
        _ now: Int64,
        in space: Int64
    ) throws {
        let queued = try greatestQueued(at: Set(changes.map(\.change.key)), in: space)
        var (previous, raised): (UInt64, UInt64) = (0, 0)
        for (change, time) in changes {
            var stored = try rows.open(space, change.key.collection, change.key.row)
            let base = stored.base.cells[change.key.field]
            // A change that is written again may lie below what its author had not seen.
            let seen = max(
                base.map { $0 < change.cell ? $0.stamp.time : 0 } ?? 0,
                queued[change.key].map { $0 < change.cell.stamp.time ? $0 : 0 } ?? 0
            )
            // A cell from the future raises what is written over it, and not all that comes after.
            let isOfFuture = seen >> 16 > UInt64(now)
            let floor = isOfFuture ? 0 : seen + 1
            previous = min(max(UInt64(time) << 16, previous + 1, floor), Stamp.limit - 1)
            if isOfFuture { raised = min(max(seen, raised) + 1, Stamp.limit - 1) }
            let stamp = isOfFuture ? raised : previous
            let cell = Cell(
                stamp: Stamp(time: stamp, replica: change.cell.stamp.replica),
                encoded: change.cell.encoded
            )
            stored.overlay.cells[change.key.field] = cell
            try database.run(
                """
                UPDATE unsealed SET time = \(stamp)
                WHERE row = \(stored.number) AND field = \(change.key.field.utf8)
                """
            )
            try rows.save(stored)
        }
    }

    /// The greatest stamp time that queued sets hold in each of these places.
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
    /// Milliseconds within the range of a stamp: a clock and a server can say anything.
    fileprivate var withinStamps: Int64 {
        min(max(milliseconds, 0), Int64(Stamp.limit >> 16) - 1)
    }
}
