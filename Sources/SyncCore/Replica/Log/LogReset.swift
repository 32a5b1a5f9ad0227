/// Gives a space's log up and starts over.
package struct LogReset: ReplicaPart {
    package let context: ReplicaContext

    /// Gives the server's log of a space up and starts over from an empty one.
    ///
    /// What the log had brought stays known, and becomes overlay in the same transaction, so that a
    /// reader sees no difference; the base is then made of the log that the server has now. What that
    /// log turns out to lack is what ``Backfill/offers(of:beyond:after:byteLimit:)`` gives back to the server. What is
    /// sealed from now on goes by a new replica id, for nobody knows what else is lost.
    ///
    /// - Parameter isLost: false where the log is still the same one and only the base is in doubt.
    package func startOver(
        _ space: Identifier,
        isLost: Bool = true,
        at now: UnixTime
    ) throws {
        let number = try spaces.number(ofSpace: space)
        let hasSealed = try database.first(
            "SELECT sequence FROM space WHERE number = \(number)"
        ) { $0.unsigned(0) > 0 }
        if !isLost { try forgetDoubtful(of: number) }
        try giveUpLog(of: number)
        if !isLost { try overlay.rebuild(try rowNames(in: number), in: number) }
        if isLost, hasSealed == true { try overlay.takeNewReplicaID() }
        try events.record(isLost ? .rebased : .repaired, "space \(space)", at: now)
    }

    /// Makes the base of a space overlay, and its cursor none, inside the caller's transaction.
    func giveUpLog(of space: Int64) throws {
        try overlayBase(of: space)
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

    /// Empties a base that is in doubt, and lets go of bodies that are not the signed ones, so that
    /// the log brings both again.
    private func forgetDoubtful(of space: Int64) throws {
        try database.run("UPDATE row SET base = x'' WHERE space = \(space)")
        var damaged: [Int64] = []
        try database.each(
            """
            SELECT number, upload, body FROM sealed
            WHERE space = \(space) AND position IS NOT NULL AND body IS NOT NULL
            """
        ) { row in
            let header = try? Upload(parsing: row.blob(1)).header
            if header?.bodyHash != Digest(of: row.blob(2)) { damaged.append(row.integer(0)) }
        }
        for number in damaged {
            try database.run("UPDATE sealed SET body = NULL WHERE number = \(number)")
        }
    }

    /// Lays what the base says over it, and empties it.
    private func overlayBase(of space: Int64) throws {
        let overlaid = try database.all(
            "SELECT number FROM row WHERE space = \(space) AND base != x'' AND overlay != x''"
        ) { $0.integer(0) }
        for number in overlaid {
            guard var stored = try rows.find(numbered: number) else { continue }
            stored.overlay.cells = stored.cells
            stored.base.cells = [:]
            try rows.save(stored)
        }
        try database.run(
            "UPDATE row SET overlay = base, base = x'' WHERE space = \(space) AND base != x''"
        )
    }
}

extension ReplicaPart {
    package var rebase: LogReset { LogReset(context: context) }
}
