internal import SyncCore

extension SQLiteStore {
    func predecessors(
        at names: [ReplicaSequence],
        in space: Identifier
    ) async throws -> Set<Digest> {
        var hashes: Set<Digest> = []
        for name in names {
            let uploads = try database.all(
                """
                SELECT upload FROM log
                WHERE space_id = \(space) AND replica_id = \(name.replica)
                    AND sequence = \(name.sequence + 1) AND admin IS NULL
                """
            ) { try Upload(parsing: $0.blob(0)) }
            hashes.formUnion(uploads.map(\.header.previous))
        }
        return hashes
    }

    func head(
        of replica: Identifier,
        in space: Identifier,
        for user: Identifier
    ) async throws -> NamedHead? {
        try tables.role(of: user, in: space)
        return try database.first(
            """
            SELECT sequence, hash, signature, controls FROM replica_head
            WHERE space_id = \(space) AND replica_id = \(replica)
            """
        ) {
            NamedHead(
                head: ReplicaHead(sequence: $0.unsigned(0), hash: $0.digest(1)),
                signature: $0.isNull(2) ? nil : Signature(bytes: $0.blob(2)),
                controls: $0.unsigned(3)
            )
        }
    }

    func page(
        of space: Identifier,
        after position: UInt64,
        for user: Identifier?,
        byteLimit: Int
    ) async throws -> Page {
        try database.read {
            if let user { try tables.role(of: user, in: space) }
            return try page(of: space, after: position, byteLimit: byteLimit)
        }
    }

    private func page(
        of space: Identifier,
        after position: UInt64,
        byteLimit: Int
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
        try fill(&page, of: space, byteLimit: byteLimit)
        return page
    }

    private func fill(_ page: inout Page, of space: Identifier, byteLimit: Int) throws {
        let last = min(page.head, page.position + UInt64(StoreLimits.pageEntries))
        var byteCount = 0
        while page.position < last, byteCount < byteLimit {
            let next = page.position + 1
            guard let (entry, chain) = try entry(of: space, at: next) else { return }
            byteCount += entry.count
            guard page.entries.isEmpty || byteCount <= byteLimit else { return }
            page.entries.append(entry)
            (page.position, page.chain) = (next, chain)
        }
    }

    /// Returns an entry as it is sent to devices.
    ///
    /// Only an accepted set or an adoption carries a body. The body of an adopted set is read from
    /// the set's own row.
    func entry(of space: Identifier, at position: UInt64) throws -> ([UInt8], Digest)? {
        try database.first(
            """
            SELECT verdict, receipt, chain, upload, admin, replica_id, sequence, hash,
                CASE WHEN admin IS NULL THEN body ELSE (SELECT h.body FROM log h
                    WHERE h.space_id = l.space_id AND h.replica_id = l.replica_id
                    AND h.sequence = l.sequence AND h.hash = l.hash AND h.admin IS NULL) END,
                reason, (SELECT r.signature FROM replica_head r WHERE r.space_id = l.space_id
                    AND r.replica_id = l.replica_id AND r.hash = l.hash)
            FROM log l WHERE space_id = \(space) AND position = \(position)
            """
        ) { row in
            let verdict = Verdict(rawValue: row.unsigned(0)) ?? .refused
            let adoption = LogEntry.Content.adoption(
                replica: row.id(5),
                sequence: row.unsigned(6),
                hash: row.digest(7),
                admin: row.id(4)
            )
            let entry = LogEntry(
                position: position,
                body: verdict == .accepted && !row.isNull(8) ? row.blob(8) : nil,
                receipt: row.blob(1),
                content: row.isNull(4) ? .set(upload: row.blob(3), verdict) : adoption,
                headSignature: row.isNull(10) ? nil : Signature(bytes: row.blob(10)),
                reason: row.isNull(4) && verdict != .accepted ? row.text(9) : ""
            )
            return (entry.encoded, row.digest(2))
        }
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
