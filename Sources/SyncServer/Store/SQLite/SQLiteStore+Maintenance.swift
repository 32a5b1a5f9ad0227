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

    /// Copies with `VACUUM INTO`.
    ///
    /// A store with a damaged page may name one beyond any limit, and SQLite calls that a full
    /// disk. Whether it is the store is looked at only when there is no copy, for it takes long.
    func copy(to path: String) async throws {
        do {
            try database.run("VACUUM INTO \(path)")
        } catch let error as DatabaseError where error.kind != .corrupt {
            try database.quickCheck()
            throw CopyError(reason: error)
        }
    }

    func noteBackup(
        of spaces: [SpaceExtent],
        epoch: Identifier,
        at time: UnixTime
    ) async throws {
        try await write { tables in
            // Another process may have put another store in the place of this one.
            guard try tables.epoch() == epoch else { return }
            for extent in spaces { try tables.noteBackup(extent, at: time) }
        }
    }

    func dropChunks(_ chunks: [ChunkPlace]) async throws {
        try await write { tables in
            for chunk in chunks { try tables.dropChunk(chunk.hash, in: chunk.space) }
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
