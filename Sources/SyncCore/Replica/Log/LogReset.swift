/// Discards a space's merged log and starts over.
package struct LogReset: ReplicaPart {
    package let context: ReplicaContext

    /// Discards the merged log of a space, which the server has lost, and starts over from an empty base.
    ///
    /// The base moves to the overlay in the same transaction, so readers see no difference. The
    /// next pages then build a new base from the server's present log.
    /// ``Backfill/offers(of:beyond:after:byteLimit:)`` returns the sets that this log lacks. New sets
    /// get a new replica id, because the server may have lost more than this device knows.
    package func startOver(_ space: Identifier, at now: UnixTime) throws {
        let number = try spaces.number(ofSpace: space)
        let hasSealed = try database.first(
            "SELECT sequence FROM space WHERE number = \(number)"
        ) { $0.unsigned(0) > 0 }
        try giveUpLog(of: number, at: now)
        if hasSealed == true { try overlay.takeNewReplicaID() }
        try events.record(.rebased, "space \(space)", at: now)
    }

    /// Discards a base that does not match its log, so that the next pages build a new one.
    package func repair(_ space: Identifier, at now: UnixTime) throws {
        try mergeAgain(spaces.number(ofSpace: space), at: now)
        let words = "space \(space) did not match its log, and was merged again"
        try events.record(.repaired, words, at: now)
    }

    /// Discards the base of a space, whose log is the same; the next pages build a new one.
    func mergeAgain(_ space: Int64, at now: UnixTime) throws {
        try forgetDoubtful(of: space)
        try lineage.restoreClaims(of: space, at: now)
        try giveUpLog(of: space, at: now)
        try overlay.rebuild(try rowNames(in: space), in: space)
    }

    /// Moves the base of a space to the overlay and clears its cursor.
    func giveUpLog(of space: Int64, at now: UnixTime) throws {
        try lineage.giveUp(space, at: now)
        try overlayBase(of: space)
        try unreadable.forgetLost(of: space)
        // The next log shows it again, unless the server has learnt of the revocation.
        try breaches.forgetAll(.revivedDevice, in: space)
        try database.run("UPDATE sealed SET position = NULL WHERE space = \(space)")
        try database.run(
            """
            UPDATE space
                SET epoch = \(Identifier.zero), position = 0, chain = \(Digest.zero), head = 0,
                fingerprint = \(Fingerprint().bytes),
                mismatch = NULL, backed_up = 0, backup_time = NULL WHERE number = \(space)
            """
        )
    }

    private func rowNames(in space: Int64) throws -> Set<Key> {
        let rows = try database.all(
            "SELECT collection, row FROM row WHERE space = \(space)"
        ) { Key(Text($0.text(0)), try Row(decoding: $0.blob(1)), "") }
        return Set(rows)
    }

    /// Empties a base in doubt, and drops bodies with a wrong hash and sets that cannot be read, so that
    /// the log brings all of them again.
    private func forgetDoubtful(of space: Int64) throws {
        try database.run("UPDATE row SET base = x'' WHERE space = \(space)")
        for set in try damagedSets(of: space) {
            if set.isReadable {
                try database.run("UPDATE sealed SET body = NULL WHERE number = \(set.number)")
            } else {
                try database.run("DELETE FROM sealed WHERE number = \(set.number)")
            }
        }
    }

    /// Returns the change sets of the log that cannot be read, and the sets whose body has a wrong hash.
    func damagedSets(of space: Int64) throws -> [(number: Int64, isReadable: Bool)] {
        var damaged: [(Int64, Bool)] = []
        try database.each(
            """
            SELECT number, upload, body, control IS NULL FROM sealed
            WHERE space = \(space) AND position IS NOT NULL
                AND (body IS NOT NULL OR control IS NULL)
            """
        ) { row in
            let header = try? Upload(parsing: row.blob(1)).header
            let isMissing = header == nil && row.integer(3) == 1
            let isWrong = !row.isNull(2) && header?.bodyHash != Digest(of: row.blob(2))
            if isMissing || isWrong { damaged.append((row.integer(0), !isMissing)) }
        }
        return damaged
    }

    /// Merges the base into the overlay and empties it.
    private func overlayBase(of space: Int64) throws {
        let overlaid = try database.all(
            "SELECT number FROM row WHERE space = \(space) AND base != x'' AND overlay != x''"
        ) { $0.integer(0) }
        for number in overlaid {
            guard var stored = try rows.find(numbered: number) else { continue }
            stored.overlay = CellRecord(stored.cells)
            stored.base = CellRecord()
            try rows.save(stored)
        }
        try database.run(
            "UPDATE row SET overlay = base, base = x'' WHERE space = \(space) AND base != x''"
        )
    }
}
