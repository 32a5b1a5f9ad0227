/// Local changes that no set carries yet: the table `unsealed`.
package struct UnsealedChanges: ReplicaPart {
    package let context: ReplicaContext

    /// Stores a field in the place of an older one or, if `isForced`, of any.
    func put(_ row: Int64, _ field: Text, _ unsent: Unsent, isForced: Bool = false) throws {
        try database.run(
            """
            INSERT INTO unsealed (row, field, time, value, lead, reissued, sum)
            VALUES (\(row), \(field.utf8), \(unsent.time), \(unsent.value), \(unsent.lead),
                \(unsent.state.rawValue), \(unsent.sum(row: row, field)))
            ON CONFLICT (row, field) DO UPDATE
            SET time = excluded.time, value = excluded.value, lead = excluded.lead,
                reissued = excluded.reissued, sum = excluded.sum
            WHERE \(isForced ? 1 : 0) OR excluded.time > time
            """
        )
    }

    /// Returns whether a space has unsealed changes that can be sealed, or damaged ones.
    func hasChanges(_ space: Int64) throws -> Bool {
        let hasWritten = try database.first(
            """
            SELECT 1 FROM unsealed u LEFT JOIN row r ON r.number = u.row
            WHERE coalesce(r.space, \(space)) = \(space)
                AND u.reissued != \(Unsent.State.waiting.rawValue) LIMIT 1
            """
        ) { _ in true }
        // A flipped bit may make a written change look like one that waits.
        return try hasWritten ?? !read(space).damaged.isEmpty
    }

    package func hasChanges(in space: Identifier) throws -> Bool {
        try hasChanges(try spaces.number(ofSpace: space))
    }

    func changes(_ space: Int64) throws -> [Change] { try all(space).map(\.change) }

    func all(_ space: Int64) throws -> [UnsealedChange] { try read(space).allSound() }

    func changes(atRow number: Int64) throws -> [Change] {
        try read(
            """
            SELECT r.collection, r.row, u.field, u.time, u.value, u.lead, u.reissued, u.sum, u.row
            FROM unsealed u CROSS JOIN row r ON r.number = u.row WHERE u.row = \(number)
            """
        ).allSound().map(\.change)
    }

    /// Reads the changes of a space, and those whose row is not known: their number is damaged.
    func read(_ space: Int64) throws -> Reading {
        try read(
            """
            SELECT r.collection, r.row, u.field, u.time, u.value, u.lead, u.reissued, u.sum, u.row
            FROM unsealed u LEFT JOIN row r ON r.number = u.row
            WHERE coalesce(r.space, \(space)) = \(space)
            """
        )
    }

    /// Lets changes be sealed that waited for a chunk.
    func release(_ hash: Digest) throws {
        let spaces = try database.all("SELECT number FROM space") { $0.integer(0) }
        let waiting = try spaces.flatMap(all).filter { $0.state == .waiting }
        for written in waiting where ChunkReference(written.change.cell)?.hash == hash {
            let unsent = Unsent(written.change.cell, at: written.wall)
            try put(written.row, written.change.key.field, unsent, isForced: true)
        }
    }

    /// Removes a change that is damaged.
    func remove(_ damaged: (row: Int64, field: [UInt8])) throws {
        try database.run(
            "DELETE FROM unsealed WHERE row = \(damaged.row) AND field = \(damaged.field)"
        )
    }

    private func read(_ query: SQL) throws -> Reading {
        let replica = try identity.loadClock().replica
        var reading = Reading()
        try database.each(query) {
            if let change = try change($0, by: replica) {
                reading.sound.append(change)
            } else {
                reading.damaged.append((row: $0.integer(8), field: $0.blob(2)))
            }
        }
        return reading
    }

    /// Returns a change, or nil if it is damaged.
    private func change(_ columns: Statement, by replica: Identifier) throws -> UnsealedChange? {
        guard !columns.isNull(0), let field = Text(utf8: columns.blob(2)),
            let state = Unsent.State(rawValue: columns.integer(6))
        else { return nil }
        let unsent = Unsent(
            time: columns.unsigned(3),
            value: columns.blob(4),
            lead: columns.integer(5),
            state: state
        )
        guard columns.integer(7) == unsent.sum(row: columns.integer(8), field) else { return nil }
        let stamp = Stamp(time: unsent.time, replica: replica)
        return UnsealedChange(
            row: columns.integer(8),
            change: Change(
                key: Key(Text(columns.text(0)), try Row(decoding: columns.blob(1)), field),
                cell: Cell(stamp: stamp, encoded: unsent.value)
            ),
            wall: UnixTime(milliseconds: unsent.wall),
            state: state
        )
    }

    /// What the table says: the changes, and the keys of those that do not have their sum.
    struct Reading {
        var sound: [UnsealedChange] = []
        var damaged: [(row: Int64, field: [UInt8])] = []

        /// Returns the changes; throws if one is damaged.
        func allSound() throws -> [UnsealedChange] {
            guard damaged.isEmpty else { throw ReplicaError.damaged(.changes) }
            return sound
        }
    }
}

/// A change that no set carries yet.
struct UnsealedChange {
    /// The number of its row.
    let row: Int64
    let change: Change
    /// The clock's reading when the change was written.
    let wall: UnixTime
    let state: Unsent.State

    /// Whether it was sealed before.
    var isReissued: Bool { state.period == nil }
}
