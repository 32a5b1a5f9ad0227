/// Sets that no longer count because a restored server accepted other control sets.
extension Backfill {
    /// Follows a server that has another control set at an index than this database merged.
    ///
    /// The lost control sets wait to be sealed again (``ControlSealer/redoLost(in:at:)``). Change sets
    /// that name them no longer count, so their changes are written again. Returns the fields, for the
    /// event log, that only another user or device may write; nil if there are none.
    func follow(from index: UInt64, in space: Int64) throws -> String? {
        var rewritten = Rewritten()
        for (number, isOwn) in try unmerged(naming: index + 1, in: space)
        where try writeAgain(numbered: number, isOwn: isOwn, in: space, &rewritten) {
            // No server with this chain may have it, not even by its receipt.
            try database.run("UPDATE sealed SET reissued = 2 WHERE number = \(number)")
        }
        try giveUpRefused(in: space)
        try takeBackControls(from: index, in: space)
        try controls.goBack(to: index, in: space)
        try undoLostAdoptions(in: space)
        // What is sealed next must not follow on a set that no server may have.
        if try hasGivenUpOwn(in: space) { try overlay.takeNewReplicaID() }
        try rebuildOverlays(of: rewritten)
        return rewritten.leftOutNames
    }

    private func hasGivenUpOwn(in space: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sealed q JOIN replica r ON r.number = q.replica
            JOIN self s ON s.replica = r.id
            WHERE q.space = \(space) AND q.position IS NULL AND q.reissued = 2 LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Stops offering the refused sets that follow on sets which were given up.
    private func giveUpRefused(in space: Int64) throws {
        try database.run(
            """
            UPDATE sealed SET reissued = CASE WHEN own = 1 THEN 3 ELSE 2 END
            WHERE space = \(space) AND position IS NULL AND verdict = 2 AND reissued < 2
                AND (reissued = 1 OR own = 0 OR coalesce(reason, '') != 'clock')
                AND EXISTS (SELECT 1 FROM sealed q WHERE q.space = sealed.space
                    AND q.replica = sealed.replica AND q.sequence < sealed.sequence
                    AND q.reissued = 2 AND q.position IS NULL AND q.control IS NULL)
            """
        )
    }

    /// Takes the merged control sets from an index on back.
    ///
    /// The server stores them as refused ones, so that the chains of their replicas stay whole; but
    /// not what follows on a set that it cannot have.
    private func takeBackControls(from index: UInt64, in space: Int64) throws {
        let count = try controls.chain(ofSpace: space).count
        let lost = try database.all(
            """
            SELECT number, replica, sequence FROM sealed
            WHERE space = \(space) AND control >= \(index) AND control < \(count)
            ORDER BY replica, sequence
            """
        ) { (number: $0.integer(0), replica: $0.integer(1), sequence: $0.integer(2)) }
        for (number, replica, sequence) in lost {
            let hasPredecessor = try database.first(
                """
                SELECT 1 FROM sealed WHERE space = \(space) AND replica = \(replica)
                    AND sequence = \(sequence - 1) AND reissued != 2
                """
            ) { _ in true }
            let isOffered = sequence == 1 || hasPredecessor == true
            try database.run(
                """
                UPDATE sealed SET control = \(ControlMark.lost), reissued = \(isOffered ? 1 : 2)
                WHERE number = \(number)
                """
            )
        }
    }

    /// Writes the changes of sets beyond the cut of a revoked device again.
    ///
    /// This device vouches for what another one sealed. Returns the fields, for the event log, that
    /// only another user or device may write; nil if there are none.
    func vouch(for sets: [KnownSet], in space: Int64) throws -> String? {
        var rewritten = Rewritten()
        for known in sets {
            let (number, isOwn) = (known.set.number, known.isOwn)
            if try !writeAgain(numbered: number, isOwn: isOwn, in: space, &rewritten) {
                try overlay.uncover([known.set], in: space)
            }
        }
        try rebuildOverlays(of: rewritten)
        return rewritten.leftOutNames
    }

    /// Returns the sets that the log lacks and that name at least so many control sets.
    private func unmerged(
        naming controls: UInt64,
        in space: Int64
    ) throws -> [(number: Int64, isOwn: Bool)] {
        var numbers: [(number: Int64, isOwn: Bool)] = []
        try database.each(
            """
            SELECT number, own, upload FROM sealed
            WHERE space = \(space) AND position IS NULL AND reissued = 0 AND pending IS NULL
                AND body IS NOT NULL AND coalesce(verdict, 0) = 0 ORDER BY number
            """
        ) { row in
            let header = try Upload(parsing: row.blob(2)).header
            guard header.control == nil, header.seen.controls >= controls else { return }
            numbers.append((row.integer(0), row.integer(1) == 1))
        }
        return numbers
    }

    /// Returns false for a set of another device that this one cannot write again, because it lacks a
    /// chunk of it.
    private func writeAgain(
        numbered number: Int64,
        isOwn: Bool,
        in space: Int64,
        _ rewritten: inout Rewritten
    ) throws -> Bool {
        let set = try database.first(
            "SELECT number, upload, body FROM sealed WHERE number = \(number) AND body IS NOT NULL",
            read: sets.queuedSet
        )
        guard let set, try !sets.readable(set).isEmpty else { return true }
        guard try isOwn || hasChunks(of: set) else { return false }
        try writeAgain(set, isOwn: isOwn, in: space, &rewritten)
        return true
    }
}
