internal import SyncCore

extension SQLiteStore {
    func certainSets(
        at names: [ReplicaSequence],
        in space: Identifier
    ) async throws -> Set<Digest> {
        var hashes: Set<Digest> = []
        for name in names where name.sequence < Int64.max {
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
            ) { try? Upload(parsing: $0.blob(0)).header.previous }
            hashes.formUnion(own + next.compactMap(\.self))
        }
        return hashes
    }

    func head(
        of replica: Identifier,
        in space: Identifier,
        for device: Identifier
    ) async throws -> NamedHead? {
        try tables.role(of: device, in: space)
        try await restoreHeads(of: [replica], in: space)
        return try tables.head(of: replica, in: space)?.named
    }

    func page(
        of space: Identifier,
        after position: UInt64,
        for device: Identifier?,
        byteLimit: Int
    ) async throws -> Page {
        func read(isRepaired: Bool = false) throws -> (page: Page, damaged: Set<UInt64>) {
            try database.read {
                if let device { try tables.role(of: device, in: space) }
                return try page(of: space, after: position, byteLimit, isRepaired: isRepaired)
            }
        }
        let (found, damaged): (Page, Set<UInt64>)
        do {
            (found, damaged) = try read()
        } catch StoreError.beyondHead(let head) where isServing {
            // It may be the record of the end that is wrong.
            guard try await repair([head], in: space)?.isEmpty == false else {
                throw StoreError.beyondHead(head)
            }
            (found, damaged) = try read()
        }
        guard isServing, !damaged.isEmpty, let repaired = try await repair(damaged, in: space)
        else {
            return found
        }
        tellRepaired(repaired, in: space)
        return try read(isRepaired: true).page
    }

    func entries(
        of space: Identifier,
        at positions: [UInt64],
        for device: Identifier?,
        byteLimit: Int
    ) async throws -> [[UInt8]] {
        if let device { try tables.role(of: device, in: space) }
        let replicas = try positions.compactMap { try tables.author(at: $0, in: space) }
        try await restoreHeads(of: Set(replicas), in: space)
        func read(isRepaired: Bool = false) throws -> [StoredEntry] {
            try database.read {
                if let device { try tables.role(of: device, in: space) }
                return try entries(of: space, at: positions, byteLimit, isRepaired: isRepaired)
            }
        }
        let found = try read()
        let damaged = Set(found.filter(\.isDamaged).map(\.position))
        guard isServing, !damaged.isEmpty, let repaired = try await repair(damaged, in: space)
        else {
            return found.map(\.bytes)
        }
        tellRepaired(repaired, in: space)
        return try read(isRepaired: true).map(\.bytes)
    }

    private func entries(
        of space: Identifier,
        at positions: [UInt64],
        _ byteLimit: Int,
        isRepaired: Bool
    ) throws -> [StoredEntry] {
        var (entries, byteCount): ([StoredEntry], Int) = ([], 0)
        for position in positions where entries.isEmpty || byteCount < byteLimit {
            let previous = try tables.link(before: position, in: space)
            let entry = try entry(of: space, at: position, after: previous, isRepaired: isRepaired)
            guard let entry else { continue }
            entries.append(entry)
            byteCount += entry.bytes.count
        }
        return entries
    }

    func gaps(in space: Identifier, for device: Identifier) async throws -> [UInt64] {
        try tables.role(of: device, in: space)
        return try tables.gaps(in: space, limit: SyncCore.Limits.entryLimit)
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

    /// Repairs damaged entries; returns the positions of those that were changed.
    ///
    /// Returns nil, and tells the operator, if the disk is full or the database cannot be written: what
    /// is sound is served all the same.
    func repair(_ positions: Set<UInt64>, in space: Identifier) async throws -> [UInt64]? {
        guard !positions.isEmpty else { return [] }
        do {
            return try await write { [receiptSecret] tables in
                let receipts = MACKey(receiptSecret.bytes)
                return try LogRepair(of: space, in: tables, receipts: receipts).repair(positions)
            }
        } catch let error as DatabaseError where [.full, .readOnly].contains(error.kind) {
            let count = positions.count
            noticed.yield(
                "store.db: \(count) damaged entries of space \(space) are not repaired: \(error.message)"
            )
            return nil
        }
    }

    private func page(
        of space: Identifier,
        after position: UInt64,
        _ byteLimit: Int,
        isRepaired: Bool
    ) throws -> (Page, damaged: Set<UInt64>) {
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
        var damaged: Set<UInt64> = end.isLinked ? [] : [head]
        try fill(&page, of: space, byteLimit, isRepaired: isRepaired, &damaged)
        return (page, damaged)
    }

    private func fill(
        _ page: inout Page,
        of space: Identifier,
        _ byteLimit: Int,
        isRepaired: Bool,
        _ damaged: inout Set<UInt64>
    ) throws {
        let last = min(page.head, page.position + UInt64(StoreLimits.pageEntries))
        var byteCount = 0
        while page.position < last, byteCount < byteLimit {
            let next = page.position + 1
            let link = page.chain
            guard let entry = try entry(of: space, at: next, after: link, isRepaired: isRepaired)
            else { return }
            byteCount += entry.bytes.count
            guard page.entries.isEmpty || byteCount <= byteLimit else { return }
            page.entries.append(entry.bytes)
            (page.position, page.chain) = (next, entry.chain)
            if entry.isDamaged { damaged.insert(next) }
        }
    }

    /// An entry as it is sent to devices.
    struct StoredEntry {
        let position: UInt64
        let bytes: [UInt8]
        /// The chain hash at the position.
        let chain: Digest
        /// Whether the entry is not what the chain says, or its body not what its header says; what is
        /// wrong is left out.
        let isDamaged: Bool
    }

    /// Returns an entry as it is sent to devices.
    ///
    /// Only an accepted set or an adoption carries a body. The body of an adopted set is read from
    /// the set's own row.
    ///
    /// - Parameters:
    ///   - previous: the link of the chain before it.
    ///   - isRepaired: whether all that can be repaired of it was.
    func entry(
        of space: Identifier,
        at position: UInt64,
        after previous: Digest,
        isRepaired: Bool
    ) throws -> StoredEntry? {
        try database.first(
            """
            SELECT l.position, l.replica_id, l.sequence, l.hash, l.verdict, l.receipt, l.chain,
                l.upload, coalesce(h.body, l.body), l.admin, l.reason, h.upload,
                r.replica_id, r.sequence, r.hash, r.closed, r.signature, r.controls, r.sum
            FROM log l
            LEFT JOIN log h ON l.admin IS NOT NULL AND h.space_id = l.space_id
                AND h.replica_id = l.replica_id AND h.sequence = l.sequence AND h.hash = l.hash
                AND h.admin IS NULL
            LEFT JOIN replica_head r ON r.space_id = l.space_id
                AND r.replica_id = l.replica_id AND r.hash = l.hash
            WHERE l.space_id = \(space) AND l.position = \(position)
            """
        ) { row in
            let logged = LogRow(row)
            let head = row.isNull(12) ? nil : HeadRecord(row, from: 12)
            let signature = head?.isSound(in: space) == true ? head?.state.signature : nil
            let adopted = row.isNull(11) ? nil : try? Upload(parsing: row.blob(11))
            let isSound =
                logged.isSound(logged.set, in: space, after: previous)
                || isRepaired && logged.set?.name == logged.name(in: space)
            return StoredEntry(logged, adopted, signature, row.text(10), isSound: isSound)
        }
    }

    func held(in space: Identifier, for device: Identifier) async throws -> [HeldSet] {
        try database.read {
            guard try tables.role(of: device, in: space) >= .admin else {
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
            // A damaged set cannot be decided on until a device brings it.
            guard let header = try? Upload(parsing: row.blob(3)).header else { return nil }
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
        .compactMap(\.self)
    }

    func backupMark(of space: Identifier, for device: Identifier) async throws -> BackupMark? {
        try tables.role(of: device, in: space)
        return try database.first(
            """
            SELECT backed_up, backup_time FROM space
            WHERE space_id = \(space) AND backup_time IS NOT NULL
            """
        ) { BackupMark(position: $0.unsigned(0), time: UnixTime(milliseconds: $0.integer(1))) }
    }
}

extension SQLiteStore.StoredEntry {
    /// - Parameters:
    ///   - adopted: the set that an adoption names.
    ///   - signature: the device's signature over the set.
    ///   - isSound: whether the row is the entry that the chain has there, as far as anybody can tell.
    fileprivate init(
        _ row: LogRow,
        _ adopted: Upload?,
        _ signature: Signature?,
        _ reason: String,
        isSound: Bool
    ) {
        (position, chain) = (row.position, row.chain)
        guard isSound, let judgement = row.judgement else {
            bytes = LogEntry(position: position, body: nil, receipt: [], content: .lost).encoded
            isDamaged = !row.isLost
            return
        }
        let body = judgement.counts ? row.body : nil
        let isBody = body.flatMap { (row.set ?? adopted)?.header.isBody($0) } ?? true
        isDamaged = !isBody
        bytes =
            LogEntry(
                position: position,
                body: isBody ? body : nil,
                receipt: row.receipt,
                content: row.content(judgement),
                headSignature: signature,
                reason: judgement.counts ? "" : reason
            )
            .encoded
    }
}

extension LogRow {
    fileprivate func content(_ judgement: SetName.Judgement) -> LogEntry.Content {
        switch judgement {
        case .verdict(let verdict): .set(upload: upload ?? [], verdict)
        case .adopted(let admin):
            .adoption(replica: replica, sequence: sequence, hash: hash, admin: admin)
        }
    }
}
