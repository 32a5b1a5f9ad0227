extension Replica {
    /// A clock that is off by no more is left alone.
    private static let toleranceMilliseconds: Int64 = 2000

    /// Shifts the stamps of unsealed changes when this device's clock is known to be off.
    ///
    /// All are shifted by one offset, so they keep their order, and each stays above the cells
    /// that its author had seen in the same place. Afterwards none lies in the future. What is
    /// written again was shifted before it was sealed first, and only leaves the future.
    func restamp(_ space: Int64, at moment: Moment) throws {
        guard let anchor = try identity().anchor, let time = anchor.time(at: moment) else { return }
        let (now, wall) = (time.withinStamps, moment.wall.withinStamps)
        let tolerance = Self.toleranceMilliseconds + anchor.uncertaintyMilliseconds
        let offset = abs(now - wall) > tolerance ? now - wall : 0
        let reissued = try reissuedKeys(space)
        let changes = try unsealed(space)
            .filter { $0.cell.stamp.time != Stamp.importTime }
            .sorted { $0.cell.stamp < $1.cell.stamp }
        let groups = Dictionary(grouping: changes) { reissued.contains($0.key) }
        let shifted = try [(false, offset), (true, 0)].map { isReissued, offset in
            let group = groups[isReissued] ?? []
            let latest = group.last?.cell.stamp.wall.milliseconds ?? now
            let isAhead = latest - now + offset > tolerance
            return try shift(group, by: isAhead ? now - latest : offset, in: space)
        }
        if shifted.contains(true) { try fallBack() }
    }

    /// Moves changes by some milliseconds, in order; false where there is nothing to move.
    private func shift(_ changes: [Change], by shift: Int64, in space: Int64) throws -> Bool {
        guard shift != 0, !changes.isEmpty else { return false }
        let queued = try greatestQueued(space)
        var previous: UInt64 = 0
        for change in changes {
            var stored = try openRow(space, change.key.collection, change.key.row)
            let base = stored.base.cells[change.key.field]
            // A change that is written again may lie below what its author had not seen.
            let seen = max(
                base.map { $0 < change.cell ? $0.stamp.time : 0 } ?? 0,
                queued[change.key].map { $0 < change.cell.stamp.time ? $0 : 0 } ?? 0
            )
            let wished = change.cell.stamp.time(shiftedBy: shift)
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
        return true
    }

    /// The places of unsealed changes that were sealed before under another name or stamp.
    private func reissuedKeys(_ space: Int64) throws -> Set<Key> {
        Set(
            try database.all(
                """
                SELECT r.collection, r.row, u.field
                FROM unsealed u CROSS JOIN row r ON r.number = u.row
                WHERE r.space = $1 AND u.reissued = 1
                """,
                .integer(space)
            ) {
                Key(Text($0.text(0)), try Row(decoding: $0.blob(1)), Text(utf8: $0.blob(2)) ?? "")
            }
        )
    }

    /// The greatest stamp time that queued sets hold in each place.
    private func greatestQueued(_ space: Int64) throws -> [Key: UInt64] {
        let times = try queue(space).flatMap(changes(of:)).map { ($0.key, $0.cell.stamp.time) }
        return Dictionary(times) { max($0, $1) }
    }

    /// Sets the clock back to the greatest stamp that this replica holds.
    private func fallBack() throws {
        let merged = try database.first("SELECT max(greatest) FROM space") { $0.unsigned(0) } ?? 0
        let written = try database.first("SELECT max(time) FROM unsealed") { $0.unsigned(0) } ?? 0
        let queued = try queue().map(\.upload.header.stamps.upperBound).max() ?? 0
        try database.run("UPDATE self SET clock = $1", .unsigned(max(merged, written, queued)))
    }
}

extension UnixTime {
    /// Milliseconds within the range of a stamp: a clock and a server can say anything.
    fileprivate var withinStamps: Int64 {
        min(max(milliseconds, 0), Int64(Stamp.limit >> 16) - 1)
    }
}

extension Stamp {
    /// The time moved by some milliseconds, kept within the range of a stamp.
    fileprivate func time(shiftedBy milliseconds: Int64) -> UInt64 {
        let moved = Int64(time).addingReportingOverflow(milliseconds << 16)
        return moved.overflow ? Stamp.limit - 1 : UInt64(max(moved.partialValue, 0))
    }
}
