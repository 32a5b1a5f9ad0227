internal import SyncCore

extension SQLiteTables {
    func insertChunk(_ bytes: [UInt8], _ hash: Digest, in space: Identifier) throws {
        try database.run(
            """
            INSERT INTO chunk (space_id, hash, bytes) VALUES (\(space), \(hash), \(bytes))
            ON CONFLICT DO NOTHING
            """
        )
        try database.run("DELETE FROM wanted_chunk WHERE space_id = \(space) AND hash = \(hash)")
    }

    func hasChunk(_ hash: Digest, in space: Identifier) throws -> Bool {
        try database.first(
            "SELECT 1 FROM chunk WHERE space_id = \(space) AND hash = \(hash)"
        ) { _ in true } ?? false
    }

    /// Returns a chunk's bytes, or nil for a missing chunk or a non-member.
    func chunk(_ hash: Digest, in space: Identifier, for user: Identifier) throws -> [UInt8]? {
        try database.first(
            """
            SELECT c.bytes FROM chunk c JOIN member m USING (space_id)
            WHERE c.space_id = \(space) AND c.hash = \(hash) AND m.user_id = \(user)
            """
        ) { $0.blob(0) }
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

    func wantedChunks(of space: Identifier, for user: Identifier) throws -> [Digest] {
        try database.all(
            """
            SELECT w.hash FROM wanted_chunk w JOIN member m USING (space_id)
            WHERE w.space_id = \(space) AND m.user_id = \(user) ORDER BY w.hash
            """
        ) { $0.digest(0) }
    }
}
