extension Overlay {
    /// Gives this database a new replica id, because another database uses the old one.
    ///
    /// Unsealed changes continue under the new id. Sets sealed under the old id are offered if the
    /// log, merged to its end, lacks them; see ``Backfill/offers(of:beyond:after:byteLimit:)``.
    package func renameReplica(at now: UnixTime) throws {
        try takeNewReplicaID()
        try sealer.levelGuard()
        try events.record(.renamed, "\(try identity.loadClock().replica)", at: now)
    }

    func takeNewReplicaID() throws { try takeReplicaID(newIdentifier()) }

    func takeReplicaID(_ replica: Identifier) throws {
        try database.run("UPDATE self SET replica = \(replica)")
        try database.run("UPDATE space SET sequence = 0, previous = \(Digest.zero)")
        for space in try database.all("SELECT number FROM space", read: { $0.integer(0) }) {
            try rebuild(Set(try unsealed.changes(space).map(\.key.rowName)), in: space)
        }
    }

    /// Returns the keys of a set that a later own set, or an unsealed change, wrote again.
    ///
    /// Only later sets that count or will be reissued matter. So a reissued change never overwrites
    /// a later one of this database.
    ///
    /// - Parameter writes: ``lastWrites(in:)``.
    func keysWrittenLater(than set: QueuedSet, _ writes: [Key: Int64]) throws -> Set<Key> {
        Set(try sets.changes(of: set).map(\.key).filter { writes[$0] ?? 0 > set.number })
    }

    /// Returns the number of the last own set for each key, or `Int64.max` for an unsealed change.
    ///
    /// Only sets that count or will be reissued matter.
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
        for written in try unsealed.all(space) where !written.isReissued {
            numbers[written.change.key] = .max
        }
        return numbers
    }

    /// Turns a set back into unsealed changes and returns the rows whose overlays must be rebuilt.
    ///
    /// - Parameter isWhole: whether that settles the set.
    func reissue(
        _ set: QueuedSet,
        in space: Int64,
        butNot overwritten: Set<Key>,
        isWhole: Bool = true
    ) throws -> Set<Key> {
        let changes = try sets.changes(of: set)
        if isWhole {
            try database.run("UPDATE sealed SET reissued = 1 WHERE number = \(set.number)")
        }
        for change in changes where !overwritten.contains(change.key) {
            let stored = try rows.open(space, change.key.collection, change.key.row)
            try unsealed.put(stored.number, change.key.field, Unsent(change.cell))
        }
        return Set(changes.map(\.key.rowName))
    }
}
