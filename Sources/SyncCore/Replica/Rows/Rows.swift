/// The cells of all rows, base and overlay: the table `row`.
public struct Rows: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns a row, or nil if it was never written.
    func find(_ space: Int64, _ collection: Text, _ row: Row) throws -> StoredRow? {
        try database.first(
            """
            SELECT number, base, overlay, sets FROM row
            WHERE space = \(space) AND collection = \(collection) AND row = \(row.encoded)
            """
        ) { try stored($0, space, collection, row) }
    }

    func find(numbered number: Int64) throws -> StoredRow? {
        try database.first(
            """
            SELECT number, base, overlay, sets, space, collection, row FROM row
            WHERE number = \(number)
            """
        ) { try stored($0, $0.integer(4), Text($0.text(5)), try Row(decoding: $0.blob(6))) }
    }

    /// Returns all rows of a collection, in row order.
    func all(_ space: Int64, _ collection: Text) throws -> [StoredRow] {
        try database.all(
            """
            SELECT number, base, overlay, sets, row FROM row
            WHERE space = \(space) AND collection = \(collection) ORDER BY row
            """
        ) { try stored($0, space, collection, try Row(decoding: $0.blob(4))) }
    }

    private func stored(
        _ columns: Statement,
        _ space: Int64,
        _ collection: Text,
        _ row: Row
    ) throws -> StoredRow {
        do {
            return StoredRow(
                number: columns.integer(0),
                space: space,
                collection: collection,
                row: row,
                base: try context.cells(in: columns.blob(1)),
                overlay: try context.cells(in: columns.blob(2)),
                sets: SetNumbers(packed: columns.blob(3))
            )
        } catch ReplicaError.damagedRecord where !isView {
            throw ReplicaError.damaged(.row(columns.integer(0)))
        }
    }

    /// Returns a row to write to; inserts an empty one if there is none.
    func open(_ space: Int64, _ collection: Text, _ row: Row) throws -> StoredRow {
        if let stored = try find(space, collection, row) { return stored }
        try database.run(
            """
            INSERT INTO row (space, collection, row, base, overlay, sets)
            VALUES (\(space), \(collection), \(row.encoded), x'', x'', x'')
            """
        )
        return StoredRow(
            number: database.lastInsertedRow,
            space: space,
            collection: collection,
            row: row,
            base: CellRecord(),
            overlay: CellRecord()
        )
    }

    /// Stores a row and tells the observer to update its projections.
    func save(_ stored: StoredRow) throws {
        try database.run(
            """
            UPDATE row
                SET base = \(context.packed(stored.base)),
                overlay = \(context.packed(stored.overlay)), sets = \(stored.sets.packed),
                deleted = \(stored.isDeleted ? 1 : 0) WHERE number = \(stored.number)
            """
        )
        try observer.rowSaved(stored)
    }

    /// Stores the sets that wrote a row, whose cells are unchanged.
    func saveSets(_ stored: StoredRow) throws {
        try database.run(
            "UPDATE row SET sets = \(stored.sets.packed) WHERE number = \(stored.number)"
        )
    }
}
