/// One row of a space as the database holds it: what the server's log says, and what lies over it.
struct StoredRow {
    /// The number of the row in this database.
    let number: Int64
    let space: Int64
    let collection: Text
    let row: Row
    /// The merge of the log up to the cursor.
    var base: CellRecord
    /// What is not in the log that was merged: own changes that did not come back in it yet, and,
    /// while a lost log is taken anew, everyone's that it lacks.
    var overlay: CellRecord

    /// What a reader sees: the greater cell of the two.
    func cell(_ field: Text) -> Cell? {
        switch (base.cells[field], overlay.cells[field]) {
        case (let base?, let overlay?): max(base, overlay)
        case (let base, let overlay): base ?? overlay
        }
    }

    /// Every field's winning cell.
    var cells: [Text: Cell] {
        base.cells.merging(overlay.cells) { max($0, $1) }
    }

    /// Whether the row lies in the trash.
    var isDeleted: Bool { cell(FieldSchema.deleted.name)?.value.bool == true }

    /// The place of one of its fields.
    func key(_ field: Text) -> Key {
        Key(collection, row, field)
    }
}

extension Replica {
    /// The number of a space.
    func number(ofSpace id: Identifier) throws -> Int64 {
        let number = try database.first("SELECT number FROM space WHERE id = $1", .id(id)) {
            $0.integer(0)
        }
        guard let number else { throw ReplicaError.unknownSpace(id) }
        return number
    }

    /// A row, nil where nothing was ever written to it.
    func storedRow(_ space: Int64, _ collection: Text, _ row: Row) throws -> StoredRow? {
        try database.first(
            """
            SELECT number, base, overlay FROM row
            WHERE space = $1 AND collection = $2 AND row = $3
            """,
            .integer(space),
            .text(collection.string),
            .blob(row.encoded)
        ) {
            StoredRow(
                number: $0.integer(0),
                space: space,
                collection: collection,
                row: row,
                base: try CellRecord(decoding: $0.blob(1), replica: replica(numbered:)),
                overlay: try CellRecord(decoding: $0.blob(2), replica: replica(numbered:))
            )
        }
    }

    /// The number of a row, nil where nothing was ever written to it.
    func rowNumber(_ space: Int64, _ collection: Text, _ row: Row) throws -> Int64? {
        try database.first(
            "SELECT number FROM row WHERE space = $1 AND collection = $2 AND row = $3",
            .integer(space),
            .text(collection.string),
            .blob(row.encoded)
        ) { $0.integer(0) }
    }

    /// A row by its number.
    func storedRow(numbered number: Int64) throws -> StoredRow? {
        let name = try database.first(
            "SELECT space, collection, row FROM row WHERE number = $1",
            .integer(number)
        ) { ($0.integer(0), Text($0.text(1)), try Row(decoding: $0.blob(2))) }
        return try name.flatMap { try storedRow($0.0, $0.1, $0.2) }
    }

    /// Every row of a collection, in the order of the rows.
    func storedRows(_ space: Int64, _ collection: Text) throws -> [StoredRow] {
        try database.all(
            """
            SELECT number, row, base, overlay FROM row
            WHERE space = $1 AND collection = $2 ORDER BY row
            """,
            .integer(space),
            .text(collection.string)
        ) {
            StoredRow(
                number: $0.integer(0),
                space: space,
                collection: collection,
                row: try Row(decoding: $0.blob(1)),
                base: try CellRecord(decoding: $0.blob(2), replica: replica(numbered:)),
                overlay: try CellRecord(decoding: $0.blob(3), replica: replica(numbered:))
            )
        }
    }

    /// A row to write to; an empty one is inserted where there was none.
    func openRow(_ space: Int64, _ collection: Text, _ row: Row) throws -> StoredRow {
        if let stored = try storedRow(space, collection, row) { return stored }
        try database.run(
            """
            INSERT INTO row (space, collection, row, base, overlay) VALUES ($1, $2, $3, $4, $4)
            """,
            .integer(space),
            .text(collection.string),
            .blob(row.encoded),
            .blob([])
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

    /// Stores a row and notes what must be projected anew.
    func save(_ stored: StoredRow) throws {
        try database.run(
            "UPDATE row SET base = $2, overlay = $3, deleted = $4 WHERE number = $1",
            .integer(stored.number),
            .blob(try stored.base.encoded(number: number(of:))),
            .blob(try stored.overlay.encoded(number: number(of:))),
            .integer(stored.isDeleted ? 1 : 0)
        )
        try noteForProjection(stored)
    }
}
