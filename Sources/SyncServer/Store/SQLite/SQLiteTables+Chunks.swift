internal import SyncCore

extension SQLiteTables {
    /// Stores a chunk; the first of those that a manifest lists become wanted.
    func insertChunk(_ bytes: [UInt8], _ hash: Digest, in space: Identifier) throws {
        try database.run(
            """
            INSERT INTO chunk (space_id, hash, bytes) VALUES (\(space), \(hash), \(bytes))
            ON CONFLICT DO NOTHING
            """
        )
        try database.run("DELETE FROM wanted_chunk WHERE space_id = \(space) AND hash = \(hash)")
        guard let manifest = try? ChunkManifest(chunk: bytes) else { return }
        // The others are wanted when a device asks for them.
        for chunk in manifest.chunks.prefix(StoreLimits.wantedByMembers) {
            try wantChunk(chunk.hash, in: space, limit: StoreLimits.wantedByMembers)
        }
    }

    func hasChunk(_ hash: Digest, in space: Identifier) throws -> Bool {
        try database.first(
            "SELECT 1 FROM chunk WHERE space_id = \(space) AND hash = \(hash)"
        ) { _ in true } ?? false
    }

    /// Deletes a chunk's bytes and marks it as wanted.
    func dropChunk(_ hash: Digest, in space: Identifier) throws {
        try database.run("DELETE FROM chunk WHERE space_id = \(space) AND hash = \(hash)")
        try wantChunk(hash, in: space)
    }

    func wantChunk(
        _ hash: Digest,
        in space: Identifier,
        limit: Int = StoreLimits.wantedChunks
    ) throws {
        try database.run(
            """
            INSERT INTO wanted_chunk (space_id, hash) SELECT \(space), \(hash)
            WHERE (SELECT count(*) FROM wanted_chunk WHERE space_id = \(space)) < \(limit)
                AND NOT EXISTS (SELECT 1 FROM chunk WHERE space_id = \(space) AND hash = \(hash))
            ON CONFLICT DO NOTHING
            """
        )
    }
}
