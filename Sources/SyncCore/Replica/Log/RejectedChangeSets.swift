/// An own set that was held or refused, or one that cannot be opened: a line of a list that the
/// person can act on.
public struct RejectedChangeSet: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// Who wrote it.
    public let replica: Identifier
    /// Its number there.
    public let sequence: UInt64
    /// The hash that tells it from another set of the same number.
    package let hash: Digest
    /// When the last of it was written, by the stamps inside.
    public let written: UnixTime
    /// What is the matter.
    public let concern: Concern
    /// What it would change; nil where it cannot be opened.
    public let changes: [Change]?

    /// What is the matter with a set.
    public enum Concern: Hashable, Sendable {
        /// It waits for an admin.
        case held(reason: String)
        /// It was refused.
        case refused(reason: String)
        /// It could not be opened here; nil where it can be by now, and the next page takes it.
        case pending(ChangeSetError?)
    }
}

/// Sets that the server did not accept, or that cannot be opened: the list for the person.
public struct RejectedChangeSets: ReplicaPart {
    /// What all parts share.
    public let context: ReplicaContext

    /// The sets that someone should look at.
    public func all() throws -> [RejectedChangeSet] {
        try database.all(
            """
            SELECT p.id, r.id, q.sequence, q.upload, q.body, q.verdict, coalesce(q.reason, ''),
                q.pending, q.hash FROM sealed q
            JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE (q.pending IS NOT NULL OR q.verdict > 0)
                AND (q.pending IS NOT NULL OR (q.own = 1 AND q.reissued IN (0, 3)))
            ORDER BY q.number
            """
        ) { row in
            let upload = try Upload(parsing: row.blob(3))
            let keys = try spaces.keys(of: row.id(0))
            let set = Result { () throws(ChangeSetError) in
                try ChangeSet(opening: upload, body: row.blob(4), with: keys)
            }
            return RejectedChangeSet(
                space: row.id(0),
                replica: row.id(1),
                sequence: row.unsigned(2),
                hash: row.digest(8),
                written: Stamp(time: upload.header.stamps.upperBound, replica: row.id(1)).wall,
                concern: Self.concern(row, set),
                changes: try? set.get().changes
            )
        }
    }

    private static func concern(
        _ row: Statement,
        _ set: Result<ChangeSet, ChangeSetError>
    ) -> RejectedChangeSet.Concern {
        if !row.isNull(7) {
            guard case .failure(let error) = set else { return .pending(nil) }
            return .pending(error)
        }
        return row.integer(5) == 1
            ? .held(reason: row.text(6)) : .refused(reason: row.text(6))
    }
}

/// What came of writing a declined set again.
package struct RetryOutcome: Equatable, Sendable {
    /// Fields that were written again.
    package var written = 0
    /// Fields that were left alone: they hold the same, or were written later.
    package var overtaken = 0
}

extension RejectedChangeSets {
    /// Writes what a declined set said once more, as of now, and takes it off the list.
    ///
    /// A field that somebody wrote since keeps that value: the person has seen it.
    package func retry(_ concern: RejectedChangeSet, at now: UnixTime) throws -> RetryOutcome {
        guard let set = try declined(concern) else { return RetryOutcome() }
        let space = try spaces.number(ofSpace: concern.space)
        let changes = try sets.changes(of: set)
        let edits = try changes.compactMap { change -> Edit? in
            let present = try rows.find(space, change.key.collection, change.key.row)?
                .cell(change.key.field)
            guard present.map({ $0.stamp < change.cell.stamp }) ?? true else { return nil }
            return change.again
        }
        let written = try rows.apply(edits, in: space, at: now)
        try settle(set, as: .writtenAgain)
        return RetryOutcome(written: written, overtaken: changes.count - written)
    }

    /// Takes a declined set off the list; it stays in the history.
    package func dismiss(_ concern: RejectedChangeSet) throws {
        guard let set = try declined(concern) else { return }
        try settle(set, as: .dismissed)
    }

    /// A rejected set with those of its chunks that are here, as it travels; nil for an unknown one.
    package func pushItem(of concern: RejectedChangeSet) throws -> PushItem? {
        guard let set = try knownSet(concern) else { return nil }
        let chunks = try set.upload.header.chunks.compactMap { chunk in
            try database.first(
                "SELECT bytes FROM chunk WHERE hash = \(chunk.hash) AND bytes IS NOT NULL"
            ) { $0.blob(0) }
        }
        return PushItem(upload: set.upload.bytes, body: set.body, chunks: chunks)
    }

    /// What `reissued` says of a declined set that is on no list any more; 3 is one that is, and
    /// that no log will take.
    private enum Settlement: Int64 {
        case writtenAgain = 1
        case dismissed = 2
    }

    private func settle(_ set: QueuedSet, as settlement: Settlement) throws {
        try database.run(
            "UPDATE sealed SET reissued = \(settlement.rawValue) WHERE number = \(set.number)"
        )
    }

    /// The set where it is still on the list, and not there already for another process.
    private func declined(_ concern: RejectedChangeSet) throws -> QueuedSet? {
        guard let set = try knownSet(concern) else { return nil }
        let isListed = try database.first(
            """
            SELECT 1 FROM sealed WHERE number = \(set.number) AND own = 1 AND verdict > 0
                AND reissued IN (0, 3)
            """
        ) { _ in true }
        return isListed == true ? set : nil
    }

    private func knownSet(_ concern: RejectedChangeSet) throws -> QueuedSet? {
        try database.first(
            """
            SELECT q.number, q.upload, q.body FROM sealed q
            JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE p.id = \(concern.space) AND r.id = \(concern.replica)
                AND q.sequence = \(concern.sequence) AND q.hash = \(concern.hash)
            """,
            read: sets.queuedSet
        )
    }
}

extension ReplicaPart {
    /// Change sets that the server did not accept.
    public var rejected: RejectedChangeSets { RejectedChangeSets(context: context) }
}
