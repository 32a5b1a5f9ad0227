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

    func changes(_ space: Int64) throws -> [Change] {
        let replica = try identity.loadClock().replica
        return try database.all(
            """
            SELECT r.collection, r.row, u.field, u.time, u.value
            FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE r.space = \(space)
            """
        ) {
            Change(
                key: Key(
                    Text($0.text(0)),
                    try Row(decoding: $0.blob(1)),
                    Text(utf8: $0.blob(2)) ?? ""
                ),
                cell: Cell(
                    stamp: Stamp(time: $0.unsigned(3), replica: replica),
                    encoded: $0.blob(4)
                )
            )
        }
    }

    func changes(atRow number: Int64, _ name: Key) throws -> [Change] {
        let replica = try identity.loadClock().replica
        return try database.all("SELECT field, time, value FROM unsealed WHERE row = \(number)") {
            Change(
                key: Key(name.collection, name.row, Text(utf8: $0.blob(0)) ?? ""),
                cell: Cell(
                    stamp: Stamp(time: $0.unsigned(1), replica: replica),
                    encoded: $0.blob(2)
                )
            )
        }
    }

    /// Returns each unsealed change's wall-clock reading, and whether it was sealed before.
    func writtenAt(_ space: Int64) throws -> [Key: (wall: UnixTime, isReissued: Bool)] {
        let rows = try database.all(
            """
            SELECT r.collection, r.row, u.field, u.wall, u.reissued
            FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE r.space = \(space)
            """
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
}

extension ReplicaPart {
    package var unsealed: UnsealedChanges { UnsealedChanges(context: context) }
}
