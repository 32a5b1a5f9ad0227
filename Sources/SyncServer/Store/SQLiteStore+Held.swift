internal import SyncCore

extension SQLiteStore {
    /// The most held sets in one answer; the others come when these are decided.
    private static let heldLimit = 1000

    func held(in space: Identifier, for user: Identifier) async throws -> [HeldSet] {
        try database.read {
            try Self.checkAdmin(user, of: space, database)
            return try database.all(
                """
                SELECT replica_id, sequence, reason, upload, received FROM log
                WHERE space_id = $1 AND verdict = 1 AND settled = 0 AND admin IS NULL
                ORDER BY position LIMIT $2
                """,
                .id(space),
                .count(Self.heldLimit)
            ) { row in
                let header = try Upload(parsing: row.blob(3)).header
                return HeldSet(
                    replica: row.id(0),
                    sequence: row.unsigned(1),
                    reason: row.text(2),
                    device: header.device,
                    deviceName: try Self.device(header.device, database)?.name ?? "",
                    cellCount: header.cellCount,
                    received: UnixTime(milliseconds: row.integer(4))
                )
            }
        }
    }

    func settle(
        _ set: HeldName,
        in space: Identifier,
        _ decision: HeldDecision,
        by device: Device,
        at now: UnixTime
    ) async throws {
        let receipts = receiptSecret
        try await write(isGrowing: decision == .adopt) { database in
            try Self.checkAdmin(device.user, of: space, database)
            let positions = try database.all(
                """
                SELECT position, settled FROM log
                WHERE space_id = $1 AND replica_id = $2 AND sequence = $3 AND verdict = 1
                    AND admin IS NULL ORDER BY position
                """,
                .id(space),
                .id(set.replica),
                .unsigned(set.sequence)
            ) { (position: $0.unsigned(0), isSettled: $0.integer(1) == 1) }
            let open = positions.filter { !$0.isSettled }
            guard !positions.isEmpty else { throw StoreError.notFound }
            guard !open.isEmpty else {
                return try Self.checkRepeated(set, in: space, decision, database)
            }
            for (position, _) in open {
                if decision == .adopt {
                    let adoption = Adoption(space: space, position: position, admin: device.id)
                    try adoption.append(MACKey(receipts.bytes), at: now, database)
                }
                try database.run(
                    "UPDATE log SET settled = 1 WHERE space_id = $1 AND position = $2",
                    .id(space),
                    .unsigned(position)
                )
            }
        }
    }

    /// A decision whose answer got lost is made again; another one comes too late.
    private static func checkRepeated(
        _ set: HeldName,
        in space: Identifier,
        _ decision: HeldDecision,
        _ database: Database
    ) throws {
        let isAdopted = try database.first(
            """
            SELECT 1 FROM log WHERE space_id = $1 AND replica_id = $2 AND sequence = $3
                AND admin IS NOT NULL
            """,
            .id(space),
            .id(set.replica),
            .unsigned(set.sequence)
        ) { _ in true }
        guard (isAdopted == true) == (decision == .adopt) else { throw StoreError.notFound }
    }

    private static func checkAdmin(
        _ user: Identifier,
        of space: Identifier,
        _ database: Database
    ) throws {
        let role = try role(of: user, in: space, database)
        guard [.owner, .admin].contains(role) else { throw StoreError.forbidden }
    }
}

/// The entry that makes a held set count, at a position of its own.
///
/// It names the set and the admin's device; the body stays with the set, and travels with this.
private struct Adoption {
    let space: Identifier
    /// Of the held set.
    let position: UInt64
    let admin: Identifier

    /// Puts the entry at the end of the log, inside the caller's transaction.
    func append(_ receipts: MACKey, at now: UnixTime, _ database: Database) throws {
        let bytes = try database.first(
            "SELECT upload, body IS NULL FROM log WHERE space_id = $1 AND position = $2",
            .id(space),
            .unsigned(position)
        ) { $0.integer(1) == 1 ? nil : $0.blob(0) }
        .flatMap { $0 }
        let counter = try database.first(
            "SELECT head, chain, greatest FROM space WHERE space_id = $1",
            .id(space)
        ) { (head: $0.unsigned(0), chain: $0.digest(1), greatest: $0.unsigned(2)) }
        guard let counter else { throw StoreError.notFound }
        guard let bytes else { throw StoreError.withoutBody }
        let upload = try Upload(parsing: bytes)
        let judgement = SetName.Judgement.adopted(admin: admin)
        let chain = LogChain.link(after: counter.chain, upload.name, judgement)
        try database.run(
            """
            INSERT INTO log (space_id, position, replica_id, sequence, hash, verdict, reason,
                receipt, chain, admin, received)
            VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8, $9, $10)
            """,
            .id(space),
            .unsigned(counter.head + 1),
            .id(upload.header.replica),
            .unsigned(upload.header.sequence),
            .digest(upload.hash),
            .unsigned(Verdict.accepted.rawValue),
            .blob(receipts.tag(of: upload.name.judged(judgement))),
            .digest(chain),
            .id(admin),
            .integer(now.milliseconds)
        )
        for chunk in upload.header.chunks {
            try SQLiteStore.want(chunk.hash, in: space, database)
        }
        try database.run(
            "UPDATE space SET head = $2, chain = $3, greatest = $4 WHERE space_id = $1",
            .id(space),
            .unsigned(counter.head + 1),
            .digest(chain),
            .unsigned(max(counter.greatest, upload.header.stamps.upperBound))
        )
    }
}
