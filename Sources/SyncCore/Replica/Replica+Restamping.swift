extension Replica {
    /// A clock that is off by no more is left alone.
    private static let toleranceMilliseconds: Int64 = 2000

    /// Corrects the stamps of unsealed changes when this device's clock is known to be off.
    ///
    /// Each gets the time that the clock said when it was written, moved by one offset; so they
    /// keep their order, and each stays above the cells that its author had seen in the same
    /// place. Afterwards none lies in the future. What is written again was corrected before it
    /// was sealed first, and only leaves the future.
    func restamp(_ space: Int64, at moment: Moment) throws {
        guard let anchor = try identity().anchor, let time = anchor.time(at: moment) else { return }
        let (now, wall) = (time.withinStamps, moment.wall.withinStamps)
        let tolerance = Self.toleranceMilliseconds + anchor.uncertaintyMilliseconds
        let offset = abs(now - wall) > tolerance ? now - wall : 0
        let written = try writtenAt(space)
        let changes = try unsealed(space)
            .filter { !$0.isTimeless }
            .sorted { $0.cell.stamp < $1.cell.stamp }
        let groups = Dictionary(grouping: changes) { written[$0.key]?.isReissued ?? false }
        let moved = try [(false, offset), (true, 0)].map { isReissued, offset in
            let group = (groups[isReissued] ?? []).map { change in
                (change, written[change.key]?.wall.withinStamps ?? now)
            }
            let latest = group.map { max($0.1, $0.0.cell.stamp.wall.milliseconds) }.max() ?? now
            let ahead = latest - now > tolerance ? now - latest : 0
            guard offset != 0 || ahead != 0 else { return false }
            try move(group, by: offset != 0 ? offset : ahead, now, in: space)
            return true
        }
        if moved.contains(true) { try fallBack() }
    }

    /// Stamps changes anew by what the clock said, moved by some milliseconds and not past `now`.
    private func move(
        _ changes: [(change: Change, wall: Int64)],
        by offset: Int64,
        _ now: Int64,
        in space: Int64
    ) throws {
        let queued = try greatestQueued(at: Set(changes.map(\.change.key)), in: space)
        var previous: UInt64 = 0
        for (change, wall) in changes {
            var stored = try openRow(space, change.key.collection, change.key.row)
            let base = stored.base.cells[change.key.field]
            // A change that is written again may lie below what its author had not seen.
            let seen = max(
                base.map { $0 < change.cell ? $0.stamp.time : 0 } ?? 0,
                queued[change.key].map { $0 < change.cell.stamp.time ? $0 : 0 } ?? 0
            )
            let wished = UInt64(min(max(wall + offset, 0), now)) << 16
            previous = min(max(wished, previous + 1, seen + 1), Stamp.limit - 1)
            let cell = Cell(
                stamp: Stamp(time: previous, replica: change.cell.stamp.replica),
                encoded: change.cell.encoded
            )
            stored.overlay.cells[change.key.field] = cell
            try database.run(
                "UPDATE unsealed SET time = $3 WHERE row = $1 AND field = $2",
                .integer(stored.number),
                .blob(change.key.field.utf8),
                .unsigned(previous)
            )
            try save(stored)
        }
    }

    /// What the clock said when each unsealed change was written, and whether it was sealed before.
    private func writtenAt(_ space: Int64) throws -> [Key: (wall: UnixTime, isReissued: Bool)] {
        let rows = try database.all(
            """
            SELECT r.collection, r.row, u.field, u.wall, u.reissued
            FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE r.space = $1
            """,
            .integer(space)
        ) { row in
            (
                Key(
                    Text(row.text(0)),
                    try Row(decoding: row.blob(1)),
                    Text(utf8: row.blob(2)) ?? ""
                ),
                (wall: UnixTime(milliseconds: row.integer(3)), isReissued: row.integer(4) == 1)
            )
        }
        return Dictionary(rows) { $1 }
    }

    /// The greatest stamp time that queued sets hold in each of these places.
    private func greatestQueued(at keys: Set<Key>, in space: Int64) throws -> [Key: UInt64] {
        var greatest: [Key: UInt64] = [:]
        try eachQueued(in: space) { set in
            for change in try readable(set) where keys.contains(change.key) {
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
            try eachQueued(in: space) { queued = max(queued, $0.upload.header.stamps.upperBound) }
        }
        try database.run("UPDATE self SET clock = $1", .unsigned(max(merged, written, queued)))
    }
}

extension UnixTime {
    /// Milliseconds within the range of a stamp: a clock and a server can say anything.
    fileprivate var withinStamps: Int64 {
        min(max(milliseconds, 0), Int64(Stamp.limit >> 16) - 1)
    }
}
