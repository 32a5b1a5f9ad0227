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
                    AND sequence = \(name.sequence)
                """
            ) { $0.digest(0) }
            let next = try database.all(
                """
                SELECT upload FROM log
                WHERE space_id = \(space) AND replica_id = \(name.replica)
                    AND sequence = \(name.sequence + 1)
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
        isRepaired: Bool,
        withHeld: Bool = false
    ) throws -> [StoredEntry] {
        var (entries, byteCount): ([StoredEntry], Int) = ([], 0)
        for position in positions where entries.isEmpty || byteCount < byteLimit {
            let previous = try tables.link(before: position, in: space)
            let entry = try entry(
                of: space,
                at: position,
                after: previous,
                isRepaired: isRepaired,
                withHeld: withHeld
            )
            guard let entry else { continue }
            entries.append(entry)
            byteCount += entry.bytes.count
        }
        return entries
    }

    func gaps(in space: Identifier, for device: Identifier) async throws -> [UInt64] {
        try tables.role(of: device, in: space)
        return try LogGaps(tables: tables, space: space).first(SyncCore.Limits.entryLimit)
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
            let entry = try entry(
                of: space,
                at: next,
                after: page.chain,
                isRepaired: isRepaired
            )
            guard let entry else { return }
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
    /// Only a set that counts carries its body.
    ///
    /// - Parameters:
    ///   - previous: the link of the chain before it.
    ///   - isRepaired: whether all that can be repaired of it was.
    ///   - withHeld: whether a held set carries its body, too.
    func entry(
        of space: Identifier,
        at position: UInt64,
        after previous: Digest,
        isRepaired: Bool,
        withHeld: Bool = false
    ) throws -> StoredEntry? {
        try database.first(
            """
            SELECT l.position, l.replica_id, l.sequence, l.hash, l.verdict, l.receipt, l.chain,
                l.upload, l.body, l.reason,
                r.replica_id, r.sequence, r.hash, r.closed, r.signature, r.controls, r.sum
            FROM log l
            LEFT JOIN replica_head r ON r.space_id = l.space_id
                AND r.replica_id = l.replica_id AND r.hash = l.hash
            WHERE l.space_id = \(space) AND l.position = \(position)
            """
        ) { row in
            let logged = LogRow(row)
            let head = row.isNull(10) ? nil : HeadRecord(row, from: 10)
            let signature = head?.isSound(in: space) == true ? head?.state.signature : nil
            let set = logged.set
            let isSound =
                logged.isSound(set, in: space, after: previous)
                || isRepaired && set?.name == logged.name(in: space)
            let counts =
                try logged.verdict == .accepted
                || logged.verdict == .held && (withHeld || isAdopted(set, in: space))
            let reason = row.text(9)
            return StoredEntry(logged, set, signature, reason, isSound: isSound, counts: counts)
        }
    }

    /// Whether the control chain lets a held set count.
    ///
    /// As long as the chain is damaged, nobody is told of it.
    private func isAdopted(_ set: Upload?, in space: Identifier) throws -> Bool {
        guard let set else { return false }
        return try tables.soundChain(of: space)?.decision(on: set) == .adopted
    }

    func held(
        in space: Identifier,
        for device: Identifier,
        byteLimit: Int
    ) async throws -> [[UInt8]] {
        try database.read {
            guard try tables.role(of: device, in: space) >= .admin else {
                throw StoreError.forbidden
            }
            guard let end = try tables.endIfHosted(of: space) else { throw StoreError.notFound }
            let chain = try tables.chain(of: space, end)
            let held = try database.all(
                """
                SELECT position, upload FROM log
                WHERE space_id = \(space) AND verdict = 1 AND upload IS NOT NULL ORDER BY position
                """
            ) { (position: $0.unsigned(0), upload: try? Upload(parsing: $0.blob(1))) }
            // A damaged set cannot be decided on until a device brings it.
            let open = held.filter { $0.upload.map { chain.decision(on: $0) == nil } ?? false }
                .prefix(StoreLimits.heldSets)
            return try entries(
                of: space,
                at: open.map(\.position),
                byteLimit,
                isRepaired: true,
                withHeld: true
            )
            .map(\.bytes)
        }
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
    ///   - set: what its upload is.
    ///   - signature: the device's signature over the set.
    ///   - isSound: whether the row is the entry that the chain has there, as far as anybody can tell.
    ///   - counts: whether its body is sent.
    fileprivate init(
        _ row: LogRow,
        _ set: Upload?,
        _ signature: Signature?,
        _ reason: String,
        isSound: Bool,
        counts: Bool
    ) {
        (position, chain) = (row.position, row.chain)
        guard isSound, let verdict = row.verdict, let upload = row.upload else {
            bytes = LogEntry(position: position, body: nil, receipt: [], content: .lost).encoded
            isDamaged = !row.isLost
            return
        }
        let body = counts ? row.body : nil
        let isBody = body.flatMap { set?.header.isBody($0) } ?? true
        isDamaged = !isBody
        bytes =
            LogEntry(
                position: position,
                body: isBody ? body : nil,
                receipt: row.receipt,
                content: .set(upload: upload, verdict),
                headSignature: signature,
                reason: verdict == .accepted ? "" : reason
            )
            .encoded
    }
}
