/// The state of a replica towards its server, without contacting it.
public struct ReplicaStatus: Hashable, Sendable {
    /// Fields that were written and are not sealed yet, without those that wait for a lost chunk.
    public let unsealed: Int
    /// Sealed sets without a verdict.
    public let queued: Int
    /// Own sets that wait for an admin.
    public let held: Int
    /// Own sets that were refused and that nobody has settled.
    public let refused: Int
    /// Sets and log entries that this replica cannot open or read yet.
    public let pending: Int
    /// Sets of the log whose body is missing; the next sync asks for them again.
    public let missing: Int
    /// Chunks that a cell names and that have not arrived.
    public let wantedChunks: Int
    /// Chunks whose only copy was damaged.
    ///
    /// A change that names one is not sent until the chunk is here again.
    public let lostChunks: Int
    /// Spaces whose fingerprint differed from the server's at the last checkpoint.
    public let mismatches: Int
    /// Samples of recordings that are in no chunk yet.
    public let unpackedSamples: Int

    /// Whether the server has everything of this device.
    public var isSent: Bool {
        unsealed == 0 && queued == 0 && unpackedSamples == 0 && lostChunks == 0
    }
}

/// The counts in ``ReplicaStatus``.
///
/// The statements repeat the conditions of the partial indexes, so that none reads all sets.
enum StatusCount: CaseIterable {
    case unsealed, queued, held, refused, pending, missing, lostChunks, mismatches, unpackedSamples

    var sql: SQL {
        switch self {
        case .unsealed:
            "SELECT count(*) FROM unsealed WHERE reissued != \(Unsent.State.waiting.rawValue)"
        case .lostChunks: "SELECT count(*) FROM damaged_chunk"
        case .queued:
            """
            SELECT count(*) FROM sealed WHERE own = 1 AND position IS NULL AND reissued = 0
                AND verdict IS NULL AND coalesce(control, 1) > 0
            """
        case .held:
            """
            SELECT count(*) FROM sealed
            WHERE verdict > 0 AND own = 1 AND verdict = 1 AND reissued IN (0, 3)
            """
        case .refused:
            """
            SELECT count(*) FROM sealed
            WHERE verdict > 0 AND own = 1 AND verdict = 2 AND reissued IN (0, 3)
            """
        case .pending:
            """
            SELECT (SELECT count(*) FROM sealed
                WHERE pending IS NOT NULL AND +position IS NOT NULL
                    AND pending NOT IN (\(MissingBody.mark), \(RevivedSet.mark))
                    AND pending NOT LIKE \(VoidSets.pattern))
                + (SELECT count(*) FROM unreadable u JOIN space p ON p.number = u.space
                    WHERE u.is_asked = 1 OR u.epoch != p.epoch)
            """
        case .missing:
            """
            SELECT (SELECT count(*) FROM sealed
                WHERE pending = \(MissingBody.mark) AND +position IS NOT NULL)
                + (SELECT count(*) FROM unreadable u JOIN space p ON p.number = u.space
                    WHERE u.is_asked = 0 AND u.epoch = p.epoch)
            """
        case .mismatches: "SELECT count(*) FROM space WHERE mismatch IS NOT NULL"
        case .unpackedSamples: "SELECT coalesce(sum(count), 0) FROM tail WHERE lost = 0"
        }
    }
}

/// Status and health of a replica.
public struct Maintenance: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns the state of this replica towards its server.
    public func status() throws -> ReplicaStatus {
        func count(_ count: StatusCount) throws -> Int {
            try database.first(count.sql) { Int($0.integer(0)) } ?? 0
        }
        return ReplicaStatus(
            unsealed: try count(.unsealed),
            queued: try count(.queued),
            held: try count(.held),
            refused: try count(.refused),
            pending: try count(.pending),
            missing: try count(.missing),
            wantedChunks: try chunks.wantedCount(),
            lostChunks: try count(.lostChunks),
            mismatches: try count(.mismatches),
            unpackedSamples: try count(.unpackedSamples)
        )
    }
}
