/// What lies over the base: made anew when a set leaves the queue, and written again under new names.
package struct Overlay: ReplicaPart {
    package let context: ReplicaContext

    /// Makes overlays anew from what is unsealed and queued.
    ///
    /// - Parameter rows: the names of the rows (their keys' fields do not count), all of `space`.
    func rebuild(_ rows: Set<Key>, in space: Int64) throws {
        guard !rows.isEmpty else { return }
        var overlays = Overlays(rows: rows)
        try sets.eachQueued(in: space) { overlays.lay(try sets.readable($0)) }
        overlays.lay(try unsealed.changes(space))
        for name in rows {
            guard var stored = try self.rows.find(space, name.collection, name.row) else {
                continue
            }
            stored.overlay.cells = (overlays.cells[name] ?? [:]).filter { field, cell in
                stored.base.cells[field].map { cell > $0 } ?? true
            }
            try self.rows.save(stored)
        }
    }
}

/// What becomes of sets that a log does not count, or has lost.
extension Overlay {
    /// Lets own sets be pushed once more that the log lacks at its end: its server judged and lost them.
    ///
    /// Returns how many.
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

    /// A declined set leaves the overlay for the list; a wrong clock is cured by writing again, and
    /// false is returned.
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
            try reissueRefused(set, in: space, after: writes)
            return false
        }
        try uncover([set], in: space)
        return true
    }

    /// Takes away what sets that do not count laid over the base.
    ///
    /// One that cannot be opened laid nothing.
    func uncover(_ sets: [QueuedSet], in space: Int64) throws {
        var rows: Set<Key> = []
        for set in sets {
            for change in try self.sets.readable(set) {
                rows.insert(Key(change.key.collection, change.key.row, ""))
            }
        }
        try rebuild(rows, in: space)
    }
}

/// What lies over some rows, while it is made anew.
private struct Overlays {
    let rows: Set<Key>
    private(set) var cells: [Key: [Text: Cell]] = [:]

    init(rows: Set<Key>) {
        self.rows = rows
    }

    mutating func lay(_ changes: [Change]) {
        for change in changes {
            let name = Key(change.key.collection, change.key.row, "")
            guard rows.contains(name) else { continue }
            let present = cells[name]?[change.key.field]
            cells[name, default: [:]][change.key.field] =
                present.map { max($0, change.cell) } ?? change.cell
        }
    }
}

extension ReplicaPart {
    package var overlay: Overlay { Overlay(context: context) }
}
