internal import SyncCore

extension SQLiteStore {
    func putChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws {
        try await write(isGrowing: true) { tables in
            guard try tables.role(of: user, in: space) != .viewer else {
                throw StoreError.forbidden
            }
            try tables.insertChunk(bytes, hash, in: space)
        }
    }

    func chunk(_ hash: Digest, in space: Identifier, for user: Identifier) async throws -> [UInt8] {
        let stored = try database.first(
            """
            SELECT c.bytes FROM chunk c JOIN member m USING (space_id)
            WHERE c.space_id = \(space) AND c.hash = \(hash) AND m.user_id = \(user)
            """
        ) { $0.blob(0) }
        guard let bytes = stored else { throw StoreError.notFound }
        // The bytes were damaged on disk; marking the chunk as wanted lets a device upload it
        // again.
        guard Digest(of: bytes) == hash else {
            try await write { try $0.dropChunk(hash, in: space) }
            throw StoreError.notFound
        }
        return bytes
    }

    func want(_ hash: Digest, in space: Identifier, for user: Identifier) async throws {
        try await write { tables in
            try tables.role(of: user, in: space)
            try tables.wantChunk(hash, in: space, limit: StoreLimits.wantedByMembers)
        }
    }

    func wantedChunks(of space: Identifier, for user: Identifier) async throws -> [Digest] {
        try database.all(
            """
            SELECT w.hash FROM wanted_chunk w JOIN member m USING (space_id)
            WHERE w.space_id = \(space) AND m.user_id = \(user) ORDER BY w.hash
            """
        ) { $0.digest(0) }
    }

    func lacking(
        _ hashes: [Digest],
        in space: Identifier,
        for user: Identifier
    ) async throws -> [Digest] {
        try tables.role(of: user, in: space)
        return try hashes.filter { try !tables.hasChunk($0, in: space) }
    }
}
