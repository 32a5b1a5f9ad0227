/// Compares what members say of the server's log with the log that this database merged.
///
/// The table `log_claim`. It finds a server that shows two logs, goes back to an earlier one, or
/// withholds entries.
package struct LogLineage: ReplicaPart {
    package let context: ReplicaContext

    private var links: LogLinks { LogLinks(context: context) }

    /// Remembers a log that is about to be given up.
    ///
    /// Not if its last link is damaged: a flipped bit in the file must accuse nobody.
    func giveUp(_ space: Int64, at now: UnixTime) throws {
        let ending = try database.first(
            "SELECT epoch, position, chain FROM space WHERE number = \(space)",
            read: ClaimRecord.ending
        )
        guard !isView, let ending, ending.position.position > 0 else { return }
        let (position, epoch) = (ending.position.position, ending.position.epoch)
        guard try links.link(at: position, in: space, of: epoch) == ending.chain else { return }
        try store(SeenClaim(replica: nil, ending: ending, since: now), in: space)
    }

    /// Throws ``ReplicaError/damaged(_:)`` for a space whose cursor is damaged: others would be told a
    /// place in the log that this database was never shown.
    package func checkCursors() throws {
        if let space = try damagedCursors().first {
            throw ReplicaError.damaged(.cursor(space: space))
        }
    }

    /// The spaces whose position and chain hash differ from the link that was merged there, or which
    /// have damaged claims.
    func damagedCursors() throws -> [Int64] {
        guard !isView else { return [] }
        let cursors = try database.all("SELECT epoch, position, chain, number FROM space") {
            (ending: ClaimRecord.ending($0), space: $0.integer(3))
        }
        return try cursors.filter {
            let (position, epoch) = ($0.ending.position.position, $0.ending.position.epoch)
            return try links.link(at: position, in: $0.space, of: epoch) != $0.ending.chain
                || !records(in: $0.space).allSatisfy(\.record.isSound)
        }
        .map(\.space)
    }

    /// Removes damaged claims of a space whose log is to be merged again, and makes its own claims
    /// again: the ends of the earlier logs whose links are still here.
    ///
    /// The log brings the other ones. An own claim that was settled comes back as well, and is settled
    /// again.
    func restoreClaims(of space: Int64, at now: UnixTime) throws {
        let damaged = try records(in: space).map(\.record).filter { !$0.isSound }
        guard !damaged.isEmpty else { return }
        for record in damaged {
            try database.run(
                """
                DELETE FROM log_claim WHERE space = \(space) AND replica = \(record.number)
                    AND epoch = \(record.ending.position.epoch)
                """
            )
        }
        let own = try claims(in: space).filter { $0.replica == nil }.map(\.ending.position.epoch)
        let present = try database.first("SELECT epoch FROM space WHERE number = \(space)") {
            $0.id(0)
        }
        for epoch in try links.epochs(in: space) where !own.contains(epoch) && epoch != present {
            guard let ending = try links.end(in: space, of: epoch) else { continue }
            try store(SeenClaim(replica: nil, ending: ending, since: now), in: space)
        }
    }

    /// Returns how many entries of the merged log this database lost, and how many were merged; nil if
    /// it has all.
    ///
    /// A chain that a revoked device continued is not followed, so entries of it may be left out, and
    /// neither is a control set of another history.
    func missingEntries(of space: Int64) throws -> (missing: Int64, merged: Int64)? {
        guard try !isView && controls.revived(in: space) == nil else { return nil }
        let (merged, known) =
            try database.first(
                """
                SELECT position,
                    (SELECT count(*) FROM sealed
                        WHERE space = s.number AND position <= s.position)
                    + (SELECT count(*) FROM unreadable
                        WHERE space = s.number AND epoch = s.epoch AND position <= s.position)
                    + (SELECT count(*) FROM breach WHERE space = s.number
                        AND kind = \(Breach.Kind.twoHistories.rawValue)
                        AND detail LIKE 'control set %')
                FROM space s WHERE number = \(space)
                """
            ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        return known < merged ? (merged - known, merged) : nil
    }

    /// Whether this database knows that the space had another log before the present one.
    func hasEarlierLog(_ space: Int64) throws -> Bool {
        guard try controls.chain(ofSpace: space).serverEpochs.isEmpty else { return true }
        return try database.first(
            """
            SELECT 1 FROM log_claim c JOIN space s ON s.number = c.space
            WHERE c.space = \(space) AND c.epoch != s.epoch LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Begins a log, whose predecessors the server names.
    ///
    /// The server may name them again as long as the log is empty.
    func begin(_ page: Page, in merge: LogMerge, at now: UnixTime) throws {
        let space = merge.number
        let known = try past(of: space)
        for claim in try claims(in: space) where claim.replica == nil {
            let epoch = claim.ending.position.epoch
            // With the acceptance that this device has sealed, also if the server does not take it.
            let chain = try controls.plannedChain(ofSpace: space)
            let before = LogLine(to: epoch, past: known, chain)
            if epoch != page.epoch, before.extent(of: page.epoch) != .unknown {
                let words = "the server went back to the log of epoch \(page.epoch)"
                try breaches.record(.twoHistories, words, in: space, at: now)
            }
            try shorten(claim, to: page.past, in: space)
        }
        // Other members' sets name also logs that only the server said this one goes on from.
        let named = Set(page.past.map(\.position.epoch) + [page.epoch])
        for ending in known where !named.contains(ending.position.epoch) {
            try store(SeenClaim(replica: nil, ending: ending, since: now), in: space)
        }
        try links.forgetSettled(but: page.epoch, in: space)
        try database.run(
            "DELETE FROM log_claim WHERE space = \(space) AND replica = \(SeenClaim.serverNumber)"
        )
        for (place, ending) in page.past.enumerated() {
            let server = SeenClaim.serverNumber
            try store(ClaimRecord(ending, of: server, since: Int64(place), in: space))
        }
    }

    /// Moves an own claim back to the last position that both logs share.
    private func shorten(_ claim: SeenClaim, to past: [LogEnding], in space: Int64) throws {
        let position = claim.ending.position
        guard let end = past.first(where: { $0.position.epoch == position.epoch })?.position,
            end.position < position.position
        else { return }
        try remove(claim, in: space)
        guard end.position > 0,
            let link = try links.link(at: end.position, in: space, of: position.epoch)
        else { return }
        let ending = LogEnding(position: end, chain: link)
        try store(SeenClaim(replica: nil, ending: ending, since: claim.since), in: space)
    }

    /// Stores the links of a page, and judges what its sets and earlier ones say of the log.
    func settle(_ merge: LogMerge, isAtHead: Bool, at now: UnixTime) throws {
        guard !isView else { return }
        try links.store(merge.links, after: merge.start, in: merge.number, of: merge.epoch)
        let stored = try claims(in: merge.number)
        var claims = Dictionary(stored.map { ($0.source, $0) }) { $1 }
        for (source, ending) in merge.seen {
            let since = claims[source]?.since ?? now
            let claim = SeenClaim(replica: source.replica, ending: ending, since: since)
            let known = claims[source]?.ending.position.position ?? 0
            if ending.position.position > known { claims[source] = claim }
        }
        try checkEnds(of: merge, at: now)
        guard !claims.isEmpty else { return }
        let chain = try controls.chain(ofSpace: merge.number)
        let line = LogLine(to: merge.epoch, past: merge.past, chain)
        var unknown: [SeenClaim] = []
        for claim in claims.values.sorted(by: SeenClaim.isNewer) {
            switch line.extent(of: claim.ending.position.epoch) {
            case .unknown:
                try store(claim, in: merge.number)
                unknown.append(claim)
            case .nothing: try forget(claim, in: merge.number)
            case .upTo(let end) where end < claim.ending.position.position:
                try forget(claim, in: merge.number)
            case .upTo: try compare(claim, with: merge, isAtHead: isAtHead, at: now)
            }
        }
        if isAtHead { try judge(unknown, in: merge, at: now) }
    }

    /// Compares the links that the server names at the ends of earlier logs with the present ones.
    private func checkEnds(of merge: LogMerge, at now: UnixTime) throws {
        for ending in merge.past {
            let position = ending.position.position
            guard position > merge.start, position <= merge.position,
                let link = merge.link(at: position), link != ending.chain
            else { continue }
            let words = "the log does not go on from that of epoch \(ending.position.epoch)"
            try breaches.record(.twoHistories, words, in: merge.number, at: now)
        }
    }

    /// Compares a claim, or keeps it until the cursor is there.
    private func compare(
        _ claim: SeenClaim,
        with merge: LogMerge,
        isAtHead: Bool,
        at now: UnixTime
    ) throws {
        let position = claim.ending.position.position
        guard position <= merge.position else {
            guard isAtHead else { return try store(claim, in: merge.number) }
            let (kind, words): (Breach.Kind, String) =
                claim.replica == nil
                ? (.twoHistories, claim.otherEntries) : (.withheld, claim.laterEntries)
            try breaches.record(kind, words, in: merge.number, at: now)
            return try forget(claim, in: merge.number)
        }
        let link =
            position >= merge.start
            ? merge.link(at: position)
            : try links.link(at: position, in: merge.number, of: merge.epoch)
        if let link, link != claim.ending.chain {
            try breaches.record(.twoHistories, claim.otherEntries, in: merge.number, at: now)
        }
        try forget(claim, in: merge.number)
    }

    /// Accepts the present log as the successor of those that this database knows, and names others
    /// that nobody has accepted for too long.
    private func judge(_ claims: [SeenClaim], in merge: LogMerge, at now: UnixTime) throws {
        let own = claims.filter { $0.replica == nil }.prefix(Page.pastLimit).map(\.ending)
        // A server that does not follow this chain takes no set of it.
        if !own.isEmpty, merge.merged.revived == nil {
            try controlSealer.accept(merge.epoch, after: own, in: merge.number, at: now)
        }
        for claim in claims where claim.replica != nil {
            guard now.milliseconds - claim.since.milliseconds >= UnsignedHeads.patience else {
                continue
            }
            try breaches.record(.twoHistories, claim.otherLog, in: merge.number, at: now)
        }
    }
}

extension LogLineage {
    /// Forgets all of a space whose number another space takes.
    func forgetAll(of space: Int64) throws {
        try database.run("DELETE FROM log_link WHERE space = \(space)")
        try database.run("DELETE FROM log_claim WHERE space = \(space)")
    }

    /// The logs that the present one goes on from, as the server named them, in its order.
    func past(of space: Int64) throws -> [LogEnding] {
        try records(in: space).map(\.record)
            .filter { $0.isSound && $0.number == SeenClaim.serverNumber }
            .sorted { $0.since < $1.since }.map(\.ending)
    }

    private func claims(in space: Int64) throws -> [SeenClaim] {
        try records(in: space).filter { $0.record.isSound }.compactMap(\.claim)
    }

    /// Returns the rows of a space, and what they claim; nil for what the server names.
    private func records(in space: Int64) throws -> [(record: ClaimRecord, claim: SeenClaim?)] {
        try database.all(
            """
            SELECT c.epoch, c.position, c.chain, c.replica, c.since, c.sum, r.id FROM log_claim c
            LEFT JOIN replica r ON r.number = c.replica
            WHERE c.space = \(space) ORDER BY c.replica, c.epoch
            """
        ) { row in
            let record = ClaimRecord(row, in: space)
            guard record.number != SeenClaim.serverNumber else { return (record, nil) }
            let claim = SeenClaim(
                replica: row.isNull(6) ? nil : row.id(6),
                ending: record.ending,
                since: UnixTime(milliseconds: record.since)
            )
            return (record, claim)
        }
    }

    private func store(_ claim: SeenClaim, in space: Int64) throws {
        let (number, since) = (try number(of: claim), claim.since.milliseconds)
        try store(ClaimRecord(claim.ending, of: number, since: since, in: space))
    }

    private func store(_ record: ClaimRecord) throws {
        let (position, epoch) = (record.ending.position.position, record.ending.position.epoch)
        try database.run(
            """
            INSERT INTO log_claim (space, replica, epoch, position, chain, since, sum)
            VALUES (\(record.space), \(record.number), \(epoch), \(position),
                \(record.ending.chain), \(record.since), \(record.sum))
            ON CONFLICT (space, replica, epoch) DO UPDATE
            SET position = excluded.position, chain = excluded.chain, since = excluded.since,
                sum = excluded.sum
            WHERE position < excluded.position
            """
        )
    }

    /// Forgets a claim that is settled, and that its log was in doubt.
    private func forget(_ claim: SeenClaim, in space: Int64) throws {
        if try remove(claim, in: space) {
            try breaches.forget(.twoHistories, claim.otherLog, in: space)
        }
    }

    @discardableResult
    private func remove(_ claim: SeenClaim, in space: Int64) throws -> Bool {
        try database.run(
            """
            DELETE FROM log_claim WHERE space = \(space) AND replica = \(number(of: claim))
                AND epoch = \(claim.ending.position.epoch)
            """
        ) > 0
    }

    private func number(of claim: SeenClaim) throws -> Int64 {
        try claim.replica.map { try replicas.number(of: $0) } ?? SeenClaim.ownNumber
    }
}
