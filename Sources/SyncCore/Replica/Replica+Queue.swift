/// A set that no log has brought yet, with the bytes that make it whole.
package struct QueuedSet: Sendable {
    /// The number of the set in this database.
    let number: Int64
    /// The parsed upload; its bytes travel verbatim.
    package let upload: Upload
    /// The body as sent.
    package let body: [UInt8]
}

extension Replica {
    /// Sets that are in no log that was merged, were not written again under a new name, and count
    /// as far as anyone was told: own ones that wait, and after a new epoch those of others too.
    ///
    /// One at a time, for after a new epoch they are as many as the log has.
    func eachQueued(in space: Int64, read: (QueuedSet) throws -> Void) throws {
        try database.each(
            """
            SELECT number, upload, body FROM sealed
            WHERE position IS NULL AND reissued = 0 AND coalesce(verdict, 0) = 0
                AND body IS NOT NULL AND pending IS NULL AND space = $1
            ORDER BY replica, sequence
            """,
            .integer(space)
        ) { try read(try queuedSet($0)) }
    }

    func queuedSet(_ row: Statement) throws -> QueuedSet {
        QueuedSet(
            number: row.integer(0),
            upload: try Upload(parsing: row.blob(1)),
            body: row.blob(2)
        )
    }

    /// The changes of a set, read with the members' key as any other reader does.
    func changes(of set: QueuedSet) throws -> [Change] {
        let keys = try spaceKeys(of: set.upload.header.space)
        return try ChangeSet(opening: set.upload, body: set.body, with: keys).changes
    }

    /// The changes of a set; none where it cannot be opened, which `verify` and an audit tell.
    func readable(_ set: QueuedSet) throws -> [Change] {
        do {
            return try changes(of: set)
        } catch is ChangeSetError {
            return []
        }
    }

    /// Makes overlays anew from what is unsealed and queued.
    ///
    /// - Parameter rows: the names of the rows (their keys' fields do not count), all of `space`.
    func rebuildOverlay(_ rows: Set<Key>, in space: Int64) throws {
        guard !rows.isEmpty else { return }
        var overlays = Overlays(rows: rows)
        try eachQueued(in: space) { overlays.lay(try readable($0)) }
        overlays.lay(try unsealed(space))
        for name in rows {
            guard var stored = try storedRow(space, name.collection, name.row) else { continue }
            stored.overlay.cells = (overlays.cells[name] ?? [:]).filter { field, cell in
                stored.base.cells[field].map { cell > $0 } ?? true
            }
            try save(stored)
        }
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
