extension Overlay {
    /// Gives this database a new name, because another one uses the old.
    ///
    /// Unsealed changes go on under the new name. What was sealed under the old one is offered once
    /// the whole log was merged and does not have it; see ``Backfill/offers(of:beyond:after:byteLimit:)``.
    package func renameReplica(at now: UnixTime) throws {
        try takeNewReplicaID()
        try events.record(.renamed, "\(try identity.loadClock().replica)", at: now)
    }

    func takeNewReplicaID() throws {
        try database.run("UPDATE self SET replica = \(newIdentifier())")
        try database.run("UPDATE space SET sequence = 0, previous = \(Digest.zero)")
        for space in try database.all("SELECT number FROM space", read: { $0.integer(0) }) {
            let rows = try unsealed.changes(space).map { Key($0.key.collection, $0.key.row, "") }
            try rebuild(Set(rows), in: space)
        }
    }

    /// Writes a set again that was refused for its clock, but for what a later set of this
    /// database wrote in the same place: new stamps must not bring the older value back.
    func reissueRefused(_ set: QueuedSet, in space: Int64, after writes: [Key: Int64]) throws {
        let overwritten = try keysWrittenLater(than: set, writes)
        try rebuild(try reissue(set, in: space, butNot: overwritten), in: space)
    }

    /// Where something was written after an own set that counts or will be written again.
    ///
    /// So what is written again never comes after what was written over it, and the order in which
    /// sets were sealed stays the order in which their changes were made.
    ///
    /// - Parameter writes: ``lastWrites(in:)``.
    func keysWrittenLater(than set: QueuedSet, _ writes: [Key: Int64]) throws -> Set<Key> {
        Set(try sets.changes(of: set).map(\.key).filter { writes[$0] ?? 0 > set.number })
    }

    /// The number of the last own set that wrote in each place and counts or will be written again;
    /// the greatest number where something lies that no set carries yet.
    func lastWrites(in space: Int64) throws -> [Key: Int64] {
        var numbers: [Key: Int64] = [:]
        try database.each(
            """
            SELECT number, upload, body FROM sealed WHERE space = \(space) AND own = 1
                AND reissued = 0 AND body IS NOT NULL AND pending IS NULL
                AND (coalesce(verdict, 0) = 0 OR reason = 'clock') ORDER BY number
            """
        ) { row in
            let set = try sets.queuedSet(row)
            for change in try sets.readable(set) { numbers[change.key] = set.number }
        }
        try database.each(
            """
            SELECT r.collection, r.row, u.field FROM unsealed u
            CROSS JOIN row r ON r.number = u.row WHERE r.space = \(space) AND u.reissued = 0
            """
        ) { row in
            let key = Key(
                Text(row.text(0)),
                try Row(decoding: row.blob(1)),
                Text(utf8: row.blob(2)) ?? ""
            )
            numbers[key] = .max
        }
        return numbers
    }

    /// Turns a set that no log will take back into unsealed changes; returns the rows whose overlay
    /// must be made anew.
    func reissue(
        _ set: QueuedSet,
        in space: Int64,
        butNot overwritten: Set<Key>
    ) throws -> Set<Key> {
        let changes = try sets.changes(of: set)
        try database.run("UPDATE sealed SET reissued = 1 WHERE number = \(set.number)")
        for change in changes where !overwritten.contains(change.key) {
            let stored = try rows.open(space, change.key.collection, change.key.row)
            try database.run(
                """
                INSERT INTO unsealed (row, field, time, value, wall, reissued)
                VALUES (\(stored.number), \(change.key.field.utf8), \(change.cell.stamp.time),
                    \(change.cell.encoded), \(change.cell.stamp.wall.milliseconds), 1)
                ON CONFLICT (row, field) DO UPDATE SET time = excluded.time,
                    value = excluded.value, wall = excluded.wall, reissued = 1
                WHERE excluded.time > time
                """
            )
        }
        return Set(changes.map { Key($0.key.collection, $0.key.row, "") })
    }
}
