/// The cells of all rows, base and overlay: the table `row`.
public struct Rows: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns a row, or nil if it was never written.
    func find(_ space: Int64, _ collection: Text, _ row: Row) throws -> StoredRow? {
        try database.first(
            """
            SELECT number, base, overlay FROM row
            WHERE space = \(space) AND collection = \(collection.string) AND row = \(row.encoded)
            """
        ) { try stored($0, space, collection, row) }
    }

    func find(numbered number: Int64) throws -> StoredRow? {
        try database.first(
            "SELECT number, base, overlay, space, collection, row FROM row WHERE number = \(number)"
        ) { try stored($0, $0.integer(3), Text($0.text(4)), try Row(decoding: $0.blob(5))) }
    }

    /// Returns all rows of a collection, in row order.
    func all(_ space: Int64, _ collection: Text) throws -> [StoredRow] {
        try database.all(
            """
            SELECT number, base, overlay, row FROM row
            WHERE space = \(space) AND collection = \(collection.string) ORDER BY row
            """
        ) { try stored($0, space, collection, try Row(decoding: $0.blob(3))) }
    }

    private func stored(
        _ columns: Statement,
        _ space: Int64,
        _ collection: Text,
        _ row: Row
    ) throws -> StoredRow {
        StoredRow(
            number: columns.integer(0),
            space: space,
            collection: collection,
            row: row,
            base: try CellRecord(decoding: columns.blob(1), replica: replicas.id(numbered:)),
            overlay: try CellRecord(decoding: columns.blob(2), replica: replicas.id(numbered:))
        )
    }

    /// Returns a row to write to; inserts an empty one if there is none.
    func open(_ space: Int64, _ collection: Text, _ row: Row) throws -> StoredRow {
        if let stored = try find(space, collection, row) { return stored }
        try database.run(
            """
            INSERT INTO row (space, collection, row, base, overlay)
            VALUES (\(space), \(collection.string), \(row.encoded), x'', x'')
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
                SET base = \(stored.base.encoded(number: replicas.number(of:))),
                overlay = \(stored.overlay.encoded(number: replicas.number(of:))),
                deleted = \(stored.isDeleted ? 1 : 0) WHERE number = \(stored.number)
            """
        )
        try observer.rowSaved(stored)
    }
}
