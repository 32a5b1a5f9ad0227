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
        let isGrowing = decision == .adopt
        try await appending(to: space, by: device, at: now, isGrowing: isGrowing) { append in
            let database = append.database
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
                switch decision {
                case .adopt: _ = try append.adopt(heldAt: position, by: device.id)
                case .refuse: try append.settle(heldAt: position)
                }
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
