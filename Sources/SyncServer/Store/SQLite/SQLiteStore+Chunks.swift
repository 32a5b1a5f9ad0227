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
        guard let bytes = try tables.chunk(hash, in: space, for: user) else {
            throw StoreError.notFound
        }
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
        try tables.wantedChunks(of: space, for: user)
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
