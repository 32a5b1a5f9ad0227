/// Brings sets back to a server whose log lacks them.
package struct Backfill: ReplicaPart {
    package let context: ReplicaContext

    /// Returns whether the log, merged to its end, lacks sets or signatures that this database has.
    package func hasOrphans(in space: Identifier) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM orphan WHERE space = \(space)
            UNION ALL SELECT 1 FROM signed_head h JOIN space p ON p.number = h.space
            WHERE p.id = \(space) AND h.is_lacking = 1 LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Returns the last known set of each replica whose sets the log lacks.
    package func orphanVector(of space: Identifier) throws -> [Identifier: ReplicaHead] {
        let heads = try database.all(
            """
            SELECT replica, max(sequence), hash FROM orphan WHERE space = \(space) GROUP BY replica
            """
        ) { ($0.id(0), ReplicaHead(sequence: $0.unsigned(1), hash: $0.digest(2))) }
        return Dictionary(uniqueKeysWithValues: heads)
    }
}

package struct BackfillOutcome: Equatable, Sendable {
    /// Sets that the log contains now, with any verdict.
    package var judged = 0
    /// Sets that no log will accept, and that were reissued.
    package var reissued = 0
    /// Problem types of the sets that stay as they are.
    package var problems: [String] = []
    /// The place of the last offered set, or nil if none was left.
    package var reach: BackfillPosition?
}

extension Backfill {
    /// Stores the server's answers to offered sets.
    ///
    /// The base does not change until the log brings them.
    ///
    /// - Parameter final: the problems after which the log can never accept a set under its name.
    package func recordOutcome(
        offered results: [PushResult],
        of items: [[UInt8]],
        final: Set<String>,
        at now: UnixTime
    ) throws -> BackfillOutcome {
        var offered = BackfillOutcome()
        var rewritten = Rewritten()
        for (result, item) in zip(results, items) {
            let pushed = try RefillItem(decoding: item[...]).item
            try signedHeads.recordOffer(try Upload(parsing: PushItem(decoding: pushed[...]).upload))
            switch result {
            case .judged:
                offered.judged += 1
                _ = try queue.recordVerdict(result, of: pushed)
            case .failed(let problem, _):
                let isLost =
                    try final.contains(problem)
                    || problem == "sequence-gap" && isBroken(pushed)
                if isLost, try writeAgain(pushed, &rewritten, at: now) {
                    offered.reissued += 1
                } else if try giveUpVoid(pushed) {
                    continue
                } else if !offered.problems.contains(problem) {
                    offered.problems.append(problem)
                }
            }
        }
        try rebuildOverlays(of: rewritten)
        if let names = rewritten.leftOutNames { try events.record(.leftOut, names, at: now) }
        return offered
    }

    /// Stops offering a set of another device that had no card, so that no log may count it.
    ///
    /// The device entered by a control chain that this database does not follow.
    private func giveUpVoid(_ item: [UInt8]) throws -> Bool {
        let upload = try Upload(parsing: try PushItem(decoding: item[...]).upload)
        let space = try spaces.number(ofSpace: upload.header.space)
        let policy = AdmissionPolicy(try controls.chain(ofSpace: space))
        guard !upload.isControl, policy.answer(to: upload.header, hash: upload.hash) == .void else {
            return false
        }
        return try database.run(
            """
            UPDATE sealed SET reissued = 2, pending = NULL WHERE space = \(space)
                AND hash = \(upload.hash) AND own = 0 AND position IS NULL AND pending IS NOT NULL
            """
        ) > 0
    }

    /// Returns whether the set before this one is unknown or was reissued, so the chain stays
    /// broken.
    private func isBroken(_ item: [UInt8]) throws -> Bool {
        let header = try Upload(parsing: try PushItem(decoding: item[...]).upload).header
        guard header.sequence > 1 else { return false }
        let before = ReplicaHead(sequence: header.sequence - 1, hash: header.previous)
        return try sets.flags(of: before, by: header.replica, in: header.space)?.isReissued ?? true
    }

    /// Reissues the changes of a set that the server does not accept under its own name.
    ///
    /// With another device's set, this device vouches for the content, and only what the log lacks
    /// is written. Returns false if nothing is reissued.
    private func writeAgain(
        _ item: [UInt8],
        _ rewritten: inout Rewritten,
        at now: UnixTime
    ) throws -> Bool {
        let upload = try Upload(parsing: try PushItem(decoding: item[...]).upload)
        let space = try spaces.number(ofSpace: upload.header.space)
        let set = try database.first(
            """
            SELECT number, upload, body, own FROM sealed
            WHERE space = \(space) AND replica = \(replicas.number(of: upload.header.replica))
                AND sequence = \(upload.header.sequence) AND hash = \(upload.hash)
                AND body IS NOT NULL AND reissued = 0 AND pending IS NULL
                AND (coalesce(verdict, 0) = 0 OR (own = 1 AND reason = 'clock'))
            """
        ) { (set: try sets.queuedSet($0), isOwn: $0.integer(3) == 1) }
        if let set, set.isOwn, upload.isControl {
            try controlSealer.takeBack(set.set.number)
            try controlSealer.redoLost(in: space, at: now)
            return true
        }
        guard let set, try !sets.readable(set.set).isEmpty, try set.isOwn || hasChunks(of: set.set)
        else {
            try giveUpOffering(upload, in: space)
            return false
        }
        try writeAgain(set.set, isOwn: set.isOwn, in: space, &rewritten)
        return true
    }

    func rebuildOverlays(of rewritten: Rewritten) throws {
        for (space, rows) in rewritten.rows { try overlay.rebuild(rows, in: space) }
    }

    func writeAgain(
        _ set: QueuedSet,
        isOwn: Bool,
        in space: Int64,
        _ rewritten: inout Rewritten
    ) throws {
        if isOwn, rewritten.writes == nil {
            rewritten.writes = try overlay.lastWrites(in: space)
        }
        let present =
            try isOwn
            ? overlay.keysWrittenLater(than: set, rewritten.writes ?? [:])
            : keysInBase(of: set, in: space)
        let permissions = try controls.permissions(inSpace: space)
        let foreign = try sets.changes(of: set).filter {
            [.others, .device].contains(permissions.of($0, isMaker: true))
                && !present.contains($0.key)
        }
        .map(\.key)
        // Rows of this database's earlier device have moved to its present one, so nothing is left
        // out.
        if !isOwn { rewritten.leftOut.formUnion(foreign) }
        let rows = try overlay.reissue(set, in: space, butNot: present.union(foreign))
        rewritten.rows[space, default: []].formUnion(rows)
    }

    /// The changes that were reissued after one answer.
    struct Rewritten {
        /// Where own sets wrote when the answer came.
        ///
        /// All sets of one answer are of one space.
        var writes: [Key: Int64]?
        /// The rows whose overlays must be rebuilt, by space.
        var rows: [Int64: Set<Key>] = [:]
        /// Keys that only another user or device may write.
        var leftOut: Set<Key> = []

        /// Up to five of these keys for the event log, or nil if there are none.
        var leftOutNames: String? {
            guard !leftOut.isEmpty else { return nil }
            let names = leftOut.map { "\($0.row)/\($0.field.string)" }.sorted()
            let more = names.count > 5 ? " and \(names.count - 5) more" : ""
            return names.prefix(5).joined(separator: ", ") + more
        }
    }

    /// Returns whether all chunks of a set are available and undamaged.
    ///
    /// Without them the set cannot be reissued.
    func hasChunks(of set: QueuedSet) throws -> Bool {
        try set.upload.header.chunks.allSatisfy { try chunks.soundBytes($0.hash) != nil }
    }

    /// Stops offering a set that was declined or reissued.
    ///
    /// An own set stays on the list of rejected sets.
    private func giveUpOffering(_ upload: Upload, in space: Int64) throws {
        try database.run(
            """
            UPDATE sealed SET reissued = 2 WHERE space = \(space) AND hash = \(upload.hash)
                AND verdict > 0 AND position IS NULL AND body IS NULL AND own = 0
            """
        )
        let declined = try database.all(
            """
            SELECT number, upload, body FROM sealed WHERE space = \(space) AND hash = \(upload.hash)
                AND (verdict > 0 OR reissued = 1) AND position IS NULL AND body IS NOT NULL
            """
        ) { try sets.queuedSet($0) }
        for set in declined {
            try database.run(
                """
                UPDATE sealed SET reissued = CASE WHEN own = 1 AND reissued = 0 THEN 3 ELSE 2 END
                WHERE number = \(set.number)
                """
            )
        }
        try overlay.uncover(declined, in: space)
    }

    /// Returns the keys of a set for which the base has the same or a later stamp.
    private func keysInBase(of set: QueuedSet, in space: Int64) throws -> Set<Key> {
        var (keys, name, base): (Set<Key>, Key?, CellRecord?) = ([], nil, nil)
        // The changes of a row follow each other.
        for change in try sets.changes(of: set) {
            let key = change.key
            if name != key.rowName {
                name = key.rowName
                base = try rows.find(space, key.collection, key.row)?.base
            }
            if let present = base?[key.field], present.stamp.time >= change.cell.stamp.time {
                keys.insert(key)
            }
        }
        return keys
    }
}
