internal import SyncCore

extension SQLiteStore {
    func append(
        _ sets: [PushedSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult] {
        guard !sets.isEmpty else { return [] }
        return try await appending(to: space, by: device, at: now) { append in
            try sets.map { try append($0) }
        }
    }

    func refill(
        _ sets: [RefilledSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult] {
        try await appending(to: space, by: device, at: now) { append in
            try sets.map { try append.refill($0) }
        }
    }

    /// Runs `body` at the end of a space's log, in one write.
    func appending<Result: Sendable>(
        to space: Identifier,
        by device: Device,
        at now: UnixTime,
        isGrowing: Bool = true,
        _ body: @escaping @Sendable (inout LogAppend) throws -> Result
    ) async throws -> Result {
        let receipts = receiptSecret
        return try await write(isGrowing: isGrowing) { database in
            var append = try LogAppend(
                space,
                by: device,
                at: now,
                receipts: MACKey(receipts.bytes),
                database
            )
            let result = try body(&append)
            try append.finish()
            return result
        }
    }

    func head(
        of replica: Identifier,
        in space: Identifier,
        for user: Identifier
    ) async throws -> ReplicaHead? {
        _ = try Self.role(of: user, in: space, database)
        return try Self.head(of: replica, in: space, database)
    }

    static func head(
        of replica: Identifier,
        in space: Identifier,
        _ database: Database
    ) throws -> ReplicaHead? {
        try database.first(
            "SELECT sequence, hash FROM replica_head WHERE space_id = $1 AND replica_id = $2",
            .id(space),
            .id(replica)
        ) { ReplicaHead(sequence: $0.unsigned(0), hash: $0.digest(1)) }
    }

    func page(
        of space: Identifier,
        after position: UInt64,
        for user: Identifier?,
        byteLimit: Int
    ) async throws -> Page {
        try database.read {
            if let user { _ = try Self.role(of: user, in: space, database) }
            let end = try database.first(
                "SELECT head FROM space WHERE space_id = $1",
                .id(space)
            ) { $0.unsigned(0) }
            guard let end else { throw StoreError.notFound }
            guard position <= end else { throw StoreError.beyondHead(end) }
            return try page(of: space, after: position, head: end, byteLimit: byteLimit)
        }
    }

    /// The most entries in one page.
    static let pageEntryLimit = 1000

    private func page(
        of space: Identifier,
        after position: UInt64,
        head: UInt64,
        byteLimit: Int
    ) throws -> Page {
        var page = Page(
            epoch: epoch,
            entries: [],
            position: position,
            chain: try chain(of: space, at: position),
            head: head,
            fingerprint: nil
        )
        let last = min(head, position + UInt64(Self.pageEntryLimit))
        var byteCount = 0
        var next = position + 1
        while next <= last, byteCount < byteLimit {
            guard let (entry, chain) = try entry(of: space, at: next) else { break }
            guard page.entries.isEmpty || byteCount + entry.count <= byteLimit else { break }
            byteCount += entry.count
            page.entries.append(entry)
            page.position = next
            page.chain = chain
            next += 1
        }
        return page
    }

    private func chain(of space: Identifier, at position: UInt64) throws -> Digest {
        try database.first(
            "SELECT chain FROM log WHERE space_id = $1 AND position = $2",
            .id(space),
            .unsigned(position)
        ) { $0.digest(0) } ?? .zero
    }

    /// An entry as it travels: only what is accepted or adopted has its body, which of an adopted
    /// set stays with the set.
    private func entry(of space: Identifier, at position: UInt64) throws -> ([UInt8], Digest)? {
        try database.first(
            """
            SELECT verdict, receipt, chain, upload, admin, replica_id, sequence, hash,
                CASE WHEN admin IS NULL THEN body ELSE (SELECT h.body FROM log h
                    WHERE h.space_id = l.space_id AND h.replica_id = l.replica_id
                    AND h.sequence = l.sequence AND h.hash = l.hash AND h.admin IS NULL) END,
                reason
            FROM log l WHERE space_id = $1 AND position = $2
            """,
            .id(space),
            .unsigned(position)
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
                reason: row.isNull(4) && verdict != .accepted ? row.text(9) : ""
            )
            return (entry.encoded, row.digest(2))
        }
    }
}
