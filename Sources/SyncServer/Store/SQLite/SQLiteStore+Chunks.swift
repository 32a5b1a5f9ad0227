internal import SyncCore

extension SQLiteStore {
    func putChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        for device: Identifier
    ) async throws {
        try await write(isGrowing: true) { tables in
            // A viewer may have the only copy of what others recorded.
            let isWanted = try tables.database.first(
                "SELECT 1 FROM wanted_chunk WHERE space_id = \(space) AND hash = \(hash)"
            ) { _ in true }
            guard try tables.role(of: device, in: space) != .viewer || isWanted == true else {
                throw StoreError.forbidden
            }
            try tables.insertChunk(bytes, hash, in: space)
        }
    }

    func chunk(_ hash: Digest, in space: Identifier, for device: Identifier?) async throws
        -> [UInt8]
    {
        if let device { try tables.role(of: device, in: space) }
        guard let bytes = try tables.chunk(hash, in: space) else { throw StoreError.notFound }
        // The bytes were damaged on disk; marking the chunk as wanted lets a device upload it
        // again.
        guard Digest(of: bytes) == hash else {
            try await write { try $0.dropChunk(hash, in: space) }
            throw StoreError.notFound
        }
        return bytes
    }

    func want(_ hash: Digest, in space: Identifier, for device: Identifier) async throws {
        try await write { tables in
            try tables.role(of: device, in: space)
            try tables.wantChunk(hash, in: space, limit: StoreLimits.wantedByMembers)
        }
    }

    func wantedChunks(of space: Identifier, for device: Identifier) async throws -> [Digest] {
        try database.all(
            """
            SELECT w.hash FROM wanted_chunk w JOIN card c USING (space_id)
            WHERE w.space_id = \(space) AND c.device_id = \(device) AND c.ended = 0
            ORDER BY w.hash
            """
        ) { $0.digest(0) }
    }

    func lacking(
        _ hashes: [Digest],
        in space: Identifier,
        for device: Identifier
    ) async throws -> [Digest] {
        try tables.role(of: device, in: space)
        return try hashes.filter { try !tables.hasChunk($0, in: space) }
    }
}
