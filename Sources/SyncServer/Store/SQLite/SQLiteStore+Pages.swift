internal import SyncCore

extension SQLiteStore {
    func certainSets(
        at names: [ReplicaSequence],
        in space: Identifier
    ) async throws -> Set<Digest> {
        var hashes: Set<Digest> = []
        for name in names {
            let own = try database.all(
                """
                SELECT hash FROM log
                WHERE space_id = \(space) AND replica_id = \(name.replica)
                    AND sequence = \(name.sequence) AND admin IS NULL
                """
            ) { $0.digest(0) }
            let next = try database.all(
                """
                SELECT upload FROM log
                WHERE space_id = \(space) AND replica_id = \(name.replica)
                    AND sequence = \(name.sequence + 1) AND admin IS NULL
                """
            ) { try Upload(parsing: $0.blob(0)).header.previous }
            hashes.formUnion(own + next)
        }
        return hashes
    }

    func head(
        of replica: Identifier,
        in space: Identifier,
        for user: Identifier
    ) async throws -> NamedHead? {
        try tables.role(of: user, in: space)
        try await restoreHeads(of: [replica], in: space)
        return try tables.head(of: replica, in: space)?.named
    }

    func page(
        of space: Identifier,
        after position: UInt64,
        for user: Identifier?,
        byteLimit: Int
    ) async throws -> Page {
        var damaged: [UInt64] = []
        let found = try database.read {
            if let user { try tables.role(of: user, in: space) }
            return try page(of: space, after: position, byteLimit: byteLimit, &damaged)
        }
        try await dropBodies(at: damaged, in: space)
        return found
    }

    func entries(
        of space: Identifier,
        at positions: [UInt64],
        for user: Identifier?,
        byteLimit: Int
    ) async throws -> [[UInt8]] {
        var (entries, damaged, byteCount): ([[UInt8]], [UInt64], Int) = ([], [], 0)
        if let user { try tables.role(of: user, in: space) }
        let replicas = try positions.compactMap { try tables.author(at: $0, in: space) }
        try await restoreHeads(of: Set(replicas), in: space)
        try database.read {
            if let user { try tables.role(of: user, in: space) }
            for position in positions where entries.isEmpty || byteCount < byteLimit {
                guard let entry = try entry(of: space, at: position) else { continue }
                entries.append(entry.bytes)
                byteCount += entry.bytes.count
                if entry.isDamaged { damaged.append(position) }
            }
        }
        try await dropBodies(at: damaged, in: space)
        return entries
    }

    func bodiless(in space: Identifier, for user: Identifier) async throws -> [UInt64] {
        try tables.role(of: user, in: space)
        return try database.all(
            """
            SELECT position FROM log WHERE space_id = \(space) AND body IS NULL AND verdict = 0
                AND admin IS NULL ORDER BY position LIMIT \(SyncCore.Limits.entryLimit)
            """
        ) { $0.unsigned(0) }
    }

    /// Makes damaged or missing records of replicas' newest sets again.
    ///
    /// A store that is only inspected stays as it is.
    private func restoreHeads(of replicas: Set<Identifier>, in space: Identifier) async throws {
        guard isServing else { return }
        let wrong = try replicas.filter { try !tables.hasSoundHead($0, in: space) }
        guard !wrong.isEmpty else { return }
        try await write { tables in
            for replica in wrong { try tables.restoreHead(of: replica, in: space) }
        }
    }

    /// Drops bodies that were damaged on disk, so that devices are asked for them.
    ///
    /// A store that is only inspected stays as it is.
    private func dropBodies(at positions: [UInt64], in space: Identifier) async throws {
        guard isServing, !positions.isEmpty else { return }
        try await write { tables in
            for position in positions { try tables.dropBody(at: position, in: space) }
        }
    }

    private func page(
        of space: Identifier,
        after position: UInt64,
        byteLimit: Int,
        _ damaged: inout [UInt64]
    ) throws -> Page {
        guard let end = try tables.endIfHosted(of: space) else { throw StoreError.notFound }
        let head = end.head
        guard position <= head else { throw StoreError.beyondHead(head) }
        var page = Page(
            epoch: epoch,
            entries: [],
            position: position,
            chain: try tables.chainHash(of: space, at: position) ?? .zero,
            head: head,
            fingerprint: nil,
            controls: end.controls,
            past: position == 0 ? try tables.past(of: space) : []
        )
        try fill(&page, of: space, byteLimit: byteLimit, &damaged)
        return page
    }

    private func fill(
        _ page: inout Page,
        of space: Identifier,
        byteLimit: Int,
        _ damaged: inout [UInt64]
    ) throws {
        let last = min(page.head, page.position + UInt64(StoreLimits.pageEntries))
        var byteCount = 0
        while page.position < last, byteCount < byteLimit {
            let next = page.position + 1
            guard let entry = try entry(of: space, at: next) else { return }
            byteCount += entry.bytes.count
            guard page.entries.isEmpty || byteCount <= byteLimit else { return }
            page.entries.append(entry.bytes)
            (page.position, page.chain) = (next, entry.chain)
            if entry.isDamaged { damaged.append(next) }
        }
    }

    /// An entry as it is sent to devices.
    struct StoredEntry {
        let bytes: [UInt8]
        /// The chain hash at the position.
        let chain: Digest
        /// Whether the stored body does not match its header; it is left out.
        let isDamaged: Bool
    }

    /// Returns an entry as it is sent to devices.
    ///
    /// Only an accepted set or an adoption carries a body. The body of an adopted set is read from
    /// the set's own row.
    func entry(of space: Identifier, at position: UInt64) throws -> StoredEntry? {
        try database.first(
            """
            SELECT l.verdict, l.receipt, l.chain, l.upload, l.admin, l.replica_id, l.sequence, l.hash,
                coalesce(h.body, l.body), l.reason, h.upload, r.replica_id, r.sequence, r.hash,
                r.closed, r.signature, r.controls, r.sum FROM log l
            LEFT JOIN log h ON l.admin IS NOT NULL AND h.space_id = l.space_id
                AND h.replica_id = l.replica_id AND h.sequence = l.sequence AND h.hash = l.hash
                AND h.admin IS NULL
            LEFT JOIN replica_head r ON r.space_id = l.space_id
                AND r.replica_id = l.replica_id AND r.hash = l.hash
            WHERE l.space_id = \(space) AND l.position = \(position)
            """
        ) { row in
            let verdict = Verdict(rawValue: row.unsigned(0)) ?? .refused
            let isAdoption = !row.isNull(4)
            let adoption = LogEntry.Content.adoption(
                replica: row.id(5),
                sequence: row.unsigned(6),
                hash: row.digest(7),
                admin: row.id(4)
            )
            let body = verdict == .accepted && !row.isNull(8) ? row.blob(8) : nil
            let isSound = body.map { Self.is($0, theBodyOf: row.blob(isAdoption ? 10 : 3)) }
            let head = row.isNull(11) ? nil : HeadRecord(row, from: 11)
            let entry = LogEntry(
                position: position,
                body: isSound == false ? nil : body,
                receipt: row.blob(1),
                content: isAdoption ? adoption : .set(upload: row.blob(3), verdict),
                headSignature: head?.isSound(in: space) == true ? head?.state.signature : nil,
                reason: !isAdoption && verdict != .accepted ? row.text(9) : ""
            )
            return StoredEntry(
                bytes: entry.encoded,
                chain: row.digest(2),
                isDamaged: isSound == false
            )
        }
    }

    /// Whether a body is the one that a set's header names.
    ///
    /// A header that cannot be read says nothing of it.
    private static func `is`(_ body: [UInt8], theBodyOf upload: [UInt8]) -> Bool {
        guard let header = try? Upload(parsing: upload).header else { return true }
        return header.isBody(body)
    }

    func held(in space: Identifier, for user: Identifier) async throws -> [HeldSet] {
        try database.read {
            guard try tables.role(of: user, in: space).settlesHeldSets else {
                throw StoreError.forbidden
            }
            return try heldSets(in: space)
        }
    }

    private func heldSets(in space: Identifier) throws -> [HeldSet] {
        try database.all(
            """
            SELECT replica_id, sequence, reason, upload, received FROM log
            WHERE space_id = \(space) AND verdict = 1 AND settled = 0 AND admin IS NULL
            ORDER BY position LIMIT \(StoreLimits.heldSets)
            """
        ) { row in
            let header = try Upload(parsing: row.blob(3)).header
            return HeldSet(
                replica: row.id(0),
                sequence: row.unsigned(1),
                reason: row.text(2),
                device: header.device,
                deviceName: try tables.device(header.device)?.name ?? "",
                cellCount: header.cellCount,
                received: UnixTime(milliseconds: row.integer(4))
            )
        }
    }

    func backupMark(of space: Identifier, for user: Identifier) async throws -> BackupMark? {
        try tables.role(of: user, in: space)
        return try database.first(
            """
            SELECT backed_up, backup_time FROM space
            WHERE space_id = \(space) AND backup_time IS NOT NULL
            """
        ) { BackupMark(position: $0.unsigned(0), time: UnixTime(milliseconds: $0.integer(1))) }
    }
}
