internal import SyncCore

extension SQLiteStore {
    func statistics() async throws -> StoreStatistics {
        StoreStatistics(
            byteCount: try database.byteCount(),
            writeCount: writeCount,
            commitCount: commitCount
        )
    }

    func readSnapshot<Value: Sendable>(
        _ body: @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try database.read { try body(SQLiteSnapshot(database: database)) }
    }

    /// Copies the store with `VACUUM INTO`.
    ///
    /// A damaged page may hold a page number beyond any limit, which SQLite reports as a full disk.
    /// The slow check for damage therefore runs only if the copy failed.
    func copy(to path: String) async throws {
        do {
            try database.run("VACUUM INTO \(path)")
        } catch let error as DatabaseError where error.kind != .corrupt {
            try database.quickCheck()
            throw CopyError(reason: error)
        }
    }

    func noteBackup(of spaces: [SpaceExtent], epoch: Identifier, at time: UnixTime) async throws {
        try await write { tables in
            // Another process may have replaced the store.
            guard try tables.epoch() == epoch else { return }
            for extent in spaces { try tables.noteBackup(extent, at: time) }
        }
    }

    func rebuildIndexes() async throws -> Bool {
        try await write { tables in
            guard try !tables.haveLostRows() else { return false }
            try tables.database.run("REINDEX")
            return true
        }
    }

    func repairLogs() async throws -> Int {
        var count = 0
        for space in try SQLiteSnapshot(database: database).spaces().map(\.space) {
            let receipts = MACKey(receiptSecret.bytes)
            let damaged = try database.read {
                try LogRepair(of: space, in: tables, receipts: receipts).damagedEntries()
            }
            count += try await repair(damaged, in: space)?.count ?? 0
        }
        return count
    }

    func restoreHeads() async throws -> Int {
        try await write { tables in
            let spaces = try tables.database.all("SELECT space_id FROM space") { $0.id(0) }
            return try spaces.reduce(0) { try $0 + tables.restoreHeads(in: $1) }
        }
    }

    func rewriteFaultyPages() async throws {
        try database.scanPages()
        if !database.damagedPages.isEmpty { try database.rewritePages() }
        if !database.correctedPages.isEmpty { try database.writeCorrectedPages() }
    }

    func dropChunks(_ chunks: [ChunkPlace]) async throws {
        try await write { tables in
            for chunk in chunks { try tables.dropChunk(chunk.hash, in: chunk.space) }
        }
    }

    func releaseControls(of space: Identifier) async throws {
        try await write { tables in
            let released = try tables.database.run(
                """
                UPDATE space SET named = controls, has_other_chain = 1 WHERE space_id = \(space)
                """
            )
            guard released == 1 else { throw StoreError.notFound }
        }
    }

    func wantChunks(_ chunks: [ChunkPlace]) async throws {
        try await write { tables in
            for chunk in chunks { try tables.wantChunk(chunk.hash, in: chunk.space) }
        }
    }
}

extension SQLiteTables {
    fileprivate func noteBackup(_ extent: SpaceExtent, at time: UnixTime) throws {
        try database.run(
            """
            UPDATE space SET backed_up = \(extent.whole ?? 0), backup_time = \(time.milliseconds)
            WHERE space_id = \(extent.space)
            """
        )
    }
}

extension SQLiteTables {
    /// Whether an index has more entries than its table has rows.
    ///
    /// A partial index, and one that cannot be read, proves nothing.
    fileprivate func haveLostRows() throws -> Bool {
        let indexes = try database.all(
            "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'"
        ) { (name: $0.text(0), table: $0.text(1)) }
        return try indexes.contains { index in
            guard let entries = try? count(index.table, "INDEXED BY \"\(index.name)\"") else {
                return false
            }
            return try entries > count(index.table, "NOT INDEXED")
        }
    }

    private func count(_ table: String, _ way: String) throws -> Int64 {
        // SQLite counts by any index where 'count(*)' stands alone.
        let query = SQL(stringLiteral: "SELECT coalesce(sum(1), 0) FROM \"\(table)\" \(way)")
        return try database.first(query) { $0.integer(0) } ?? 0
    }
}
