/// Local changes that no set carries yet: the table `unsealed`.
package struct UnsealedChanges: ReplicaPart {
    package let context: ReplicaContext

    func record(_ row: Int64, _ field: Text, _ cell: Cell, at wall: UnixTime) throws {
        try database.run(
            """
            INSERT INTO unsealed (row, field, time, value, wall)
            VALUES (\(row), \(field.utf8), \(cell.stamp.time), \(cell.encoded),
                \(wall.milliseconds))
            ON CONFLICT (row, field) DO UPDATE
            SET time = excluded.time, value = excluded.value, wall = excluded.wall, reissued = 0
            """
        )
    }

    /// Returns whether a space has unsealed changes.
    ///
    /// `CROSS JOIN` makes SQLite start from the few unsealed changes instead of all rows.
    func hasChanges(_ space: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE r.space = \(space)
            LIMIT 1
            """
        ) { _ in true } ?? false
    }

    package func hasChanges(in space: Identifier) throws -> Bool {
        try hasChanges(try spaces.number(ofSpace: space))
    }

    func changes(_ space: Int64) throws -> [Change] { try all(space).map(\.change) }

    func all(_ space: Int64) throws -> [UnsealedChange] {
        try read(
            """
            SELECT r.collection, r.row, u.field, u.time, u.value, u.wall, u.reissued
            FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE r.space = \(space)
            """
        )
    }

    func changes(atRow number: Int64) throws -> [Change] {
        try read(
            """
            SELECT r.collection, r.row, u.field, u.time, u.value, u.wall, u.reissued
            FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE u.row = \(number)
            """
        ).map(\.change)
    }

    private func read(_ query: SQL) throws -> [UnsealedChange] {
        let replica = try identity.loadClock().replica
        return try database.all(query) {
            let row = try Row(decoding: $0.blob(1))
            let stamp = Stamp(time: $0.unsigned(3), replica: replica)
            return UnsealedChange(
                change: Change(
                    key: Key(Text($0.text(0)), row, Text(utf8: $0.blob(2)) ?? ""),
                    cell: Cell(stamp: stamp, encoded: $0.blob(4))
                ),
                wall: UnixTime(milliseconds: $0.integer(5)),
                isReissued: $0.integer(6) == 1
            )
        }
    }
}

/// A change that no set carries yet.
struct UnsealedChange {
    let change: Change
    /// The clock's reading when the change was written.
    let wall: UnixTime
    /// Whether it was sealed before.
    let isReissued: Bool
}
