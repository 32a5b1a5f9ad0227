internal import SyncCore

extension LogAppend {
    /// Puts the entry at the end of the log that makes a held set count; returns its position.
    ///
    /// It names the set and the admin's device; the body stays with the set, and travels with this.
    /// ``StoreError/withoutBody`` where the held set has none.
    mutating func adopt(heldAt position: UInt64, by admin: Identifier) throws -> UInt64 {
        let held = try database.first(
            """
            SELECT upload FROM log WHERE space_id = $1 AND position = $2 AND body IS NOT NULL
            """,
            .id(space),
            .unsigned(position)
        ) { try Upload(parsing: $0.blob(0)) }
        guard let held else { throw StoreError.withoutBody }
        let adoption = try append(held, adoptedBy: admin)
        for chunk in held.header.chunks { try SQLiteStore.want(chunk.hash, in: space, database) }
        try settle(heldAt: position)
        return adoption
    }

    /// A held set waits for nobody any more.
    func settle(heldAt position: UInt64) throws {
        try database.run(
            "UPDATE log SET settled = 1 WHERE space_id = $1 AND position = $2",
            .id(space),
            .unsigned(position)
        )
    }

    /// The position from which a held set counts, where one was adopted.
    func adoption(of upload: Upload) throws -> UInt64? {
        try database.first(
            """
            SELECT position FROM log WHERE space_id = $1 AND replica_id = $2 AND sequence = $3
                AND hash = $4 AND admin IS NOT NULL
            """,
            .id(space),
            .id(upload.header.replica),
            .unsigned(upload.header.sequence),
            .digest(upload.hash)
        ) { $0.unsigned(0) }
    }
}
