/// Rebuilds the overlays of rows, and reissues sets under new names.
package struct Overlay: ReplicaPart {
    package let context: ReplicaContext

    /// Rebuilds the overlays of rows from queued sets and unsealed changes.
    ///
    /// - Parameter rows: the names of the rows, all of `space`. The fields of the keys are ignored.
    func rebuild(_ rows: Set<Key>, in space: Int64) throws {
        guard !rows.isEmpty else { return }
        var overlays = Overlays(rows: rows)
        try sets.eachQueued(in: space) { overlays.lay(try sets.readable($0)) }
        overlays.lay(try unsealed.changes(space))
        for name in rows {
            guard var stored = try self.rows.find(space, name.collection, name.row) else {
                continue
            }
            stored.overlay = CellRecord(
                (overlays.cells[name] ?? [:]).filter { field, cell in
                    stored.base[field].map { cell > $0 } ?? true
                }
            )
            try self.rows.save(stored)
        }
    }
}

/// Sets that the log does not count, or has lost.
extension Overlay {
    /// Clears the verdicts of own sets that the log lacks at its end, so that they are pushed
    /// again.
    ///
    /// The server judged these sets and then lost them. Returns the number of sets.
    func forgetLostVerdicts(in space: Int64) throws -> Int {
        try database.run(
            """
            UPDATE sealed SET verdict = NULL, reason = NULL, receipt = NULL, admin = NULL
            WHERE space = \(space) AND own = 1 AND position IS NULL AND reissued = 0
                AND verdict IS NOT NULL
                AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
            """
        )
    }

    /// Settles an own set that the log holds or refuses.
    ///
    /// A set that was refused for its clock is reissued, and the result is false. The changes of
    /// any other set leave the overlay, and the set goes to the list of rejected sets.
    ///
    /// - Parameter writes: ``lastWrites(in:)``.
    func settleDeclined(
        _ set: QueuedSet,
        in space: Int64,
        after writes: [Key: Int64]
    ) throws -> Bool {
        let reason = try database.first(
            "SELECT coalesce(reason, '') FROM sealed WHERE number = \(set.number) AND verdict = 2"
        ) { $0.text(0) }
        if reason == "clock" {
            // A new stamp must not bring an older value back.
            let overwritten = try keysWrittenLater(than: set, writes)
            try rebuild(try reissue(set, in: space, butNot: overwritten), in: space)
            return false
        }
        try uncover([set], in: space)
        return true
    }

    /// Removes the cells of sets that do not count from the overlay.
    ///
    /// A set that cannot be opened never wrote to the overlay.
    func uncover(_ sets: [QueuedSet], in space: Int64) throws {
        let rows = try sets.flatMap { try self.sets.readable($0).map(\.key.rowName) }
        try rebuild(Set(rows), in: space)
    }
}

/// The overlays of some rows while they are rebuilt.
private struct Overlays {
    let rows: Set<Key>
    private(set) var cells: [Key: [Text: Cell]] = [:]

    mutating func lay(_ changes: [Change]) {
        for change in changes where rows.contains(change.key.rowName) {
            cells[change.key.rowName, default: [:]].merge(change)
        }
    }
}
