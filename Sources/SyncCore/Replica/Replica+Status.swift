/// How a replica stands towards its server, from what it knows by itself.
public struct ReplicaStatus: Hashable, Sendable {
    /// Fields written and not sealed yet.
    public let unsealed: Int
    /// Sets sealed and not judged yet.
    public let queued: Int
    /// Own sets that wait for an admin.
    public let held: Int
    /// Own sets that were refused and not written again.
    public let refused: Int
    /// Sets in the log that this replica cannot open yet.
    public let pending: Int
    /// Chunks that are named and not here.
    public let wantedChunks: Int
    /// Spaces whose fingerprint differed from the server's at the last checkpoint.
    public let mismatches: Int
    /// Samples of recordings that are in no chunk yet.
    public let unpackedSamples: Int

    /// Whether everything of this device is at the server.
    public var isSent: Bool { unsealed == 0 && queued == 0 && unpackedSamples == 0 }
}

/// An own set that was held or refused, or one that cannot be opened: a line of a list that the
/// person can act on.
public struct SetOfConcern: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// Who wrote it.
    public let replica: Identifier
    /// Its number there.
    public let sequence: UInt64
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

/// What is counted for ``ReplicaStatus``, and how.
///
/// The statements spell the conditions of the partial indexes: none may read all sets,
/// however many there are.
enum StatusCount: String, CaseIterable {
    case unsealed = "SELECT count(*) FROM unsealed"
    case queued = """
        SELECT count(*) FROM sealed WHERE own = 1 AND position IS NULL AND reissued = 0
            AND verdict IS NULL
        """
    case held = "SELECT count(*) FROM sealed WHERE verdict > 0 AND own = 1 AND verdict = 1"
    case refused = """
        SELECT count(*) FROM sealed
        WHERE verdict > 0 AND own = 1 AND verdict = 2 AND reissued = 0
        """
    case pending = """
        SELECT (SELECT count(*) FROM sealed WHERE pending IS NOT NULL)
            + (SELECT count(*) FROM unreadable)
        """
    case mismatches = "SELECT count(*) FROM space WHERE mismatch IS NOT NULL"
    case unpackedSamples = "SELECT coalesce(sum(count), 0) FROM tail"
}

extension Replica {
    /// How this replica stands.
    public func status() throws -> ReplicaStatus {
        func count(_ count: StatusCount) throws -> Int {
            try database.first(count.rawValue) { Int($0.integer(0)) } ?? 0
        }
        return ReplicaStatus(
            unsealed: try count(.unsealed),
            queued: try count(.queued),
            held: try count(.held),
            refused: try count(.refused),
            pending: try count(.pending),
            wantedChunks: try wantedChunkCount(),
            mismatches: try count(.mismatches),
            unpackedSamples: try count(.unpackedSamples)
        )
    }

    /// The sets that someone should look at.
    public func setsOfConcern() throws -> [SetOfConcern] {
        try database.all(
            """
            SELECT p.id, r.id, q.sequence, q.upload, q.body, q.verdict, coalesce(q.reason, ''),
                q.pending FROM sealed q
            JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE q.pending IS NOT NULL OR (q.own = 1 AND q.verdict > 0 AND q.reissued = 0)
            ORDER BY q.number
            """
        ) { row in
            let upload = try Upload(parsing: row.blob(3))
            let keys = try spaceKeys(of: row.id(0))
            let set = Result { () throws(ChangeSetError) in
                try ChangeSet(opening: upload, body: row.blob(4), with: keys)
            }
            return SetOfConcern(
                space: row.id(0),
                replica: row.id(1),
                sequence: row.unsigned(2),
                concern: Self.concern(row, set),
                changes: try? set.get().changes
            )
        }
    }

    private static func concern(
        _ row: Statement,
        _ set: Result<ChangeSet, ChangeSetError>
    ) -> SetOfConcern.Concern {
        if !row.isNull(7) {
            guard case .failure(let error) = set else { return .pending(nil) }
            return .pending(error)
        }
        return row.integer(5) == 1
            ? .held(reason: row.text(6)) : .refused(reason: row.text(6))
    }
}
