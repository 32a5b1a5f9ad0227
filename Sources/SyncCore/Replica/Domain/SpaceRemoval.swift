/// Removes a space with everything that belongs to it.
struct SpaceRemoval: ReplicaPart {
    let context: ReplicaContext

    /// Removes a shared space; returns whether this database ever sealed a set there.
    ///
    /// Chunks that another space uses stay, and so does what the person must know of breaches.
    func remove(_ space: Identifier) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        let own = try spaces.number(ofSpace: try spaces.own())
        let hasSealed = try database.first(
            "SELECT sequence FROM space WHERE number = \(number)"
        ) { $0.unsigned(0) > 0 }
        try handOverChunks(of: number)
        try database.run("UPDATE OR IGNORE breach SET space = \(own) WHERE space = \(number)")
        for statement in Self.statements(number) { try database.run(statement) }
        return hasSealed == true
    }

    /// Leaves chunks to the spaces that use them too, and deletes the others.
    private func handOverChunks(of space: Int64) throws {
        try database.run("DELETE FROM chunk_use WHERE space = \(space)")
        try database.run(
            """
            UPDATE chunk SET space = u.space, track = u.track FROM chunk_use u
            WHERE u.chunk = chunk.number AND chunk.space = \(space)
            """
        )
        let unused = try database.all("SELECT hash FROM chunk WHERE space = \(space)") {
            $0.digest(0)
        }
        for hash in unused { try chunks.delete(hash) }
    }

    private static func statements(_ space: Int64) -> [SQL] {
        [
            "DELETE FROM history WHERE row IN (SELECT number FROM row WHERE space = \(space))",
            "DELETE FROM unsealed WHERE row IN (SELECT number FROM row WHERE space = \(space))",
            "DELETE FROM row WHERE space = \(space)",
            "DELETE FROM sealed WHERE space = \(space)",
            "DELETE FROM unreadable WHERE space = \(space)",
            "DELETE FROM signed_head WHERE space = \(space)",
            "DELETE FROM unsigned_head WHERE space = \(space)",
            "DELETE FROM log_link WHERE space = \(space)",
            "DELETE FROM log_claim WHERE space = \(space)",
            "DELETE FROM track WHERE space = \(space)",
            "DELETE FROM derivation WHERE space = \(space)",
            "DELETE FROM action WHERE space = \(space)",
            "DELETE FROM breach WHERE space = \(space)",
            "DELETE FROM space_key WHERE space = \(space)",
            "DELETE FROM lost_key WHERE space = \(space)",
            "DELETE FROM lost_revocation WHERE space = \(space)",
            "DELETE FROM space WHERE number = \(space)",
        ]
    }
}

extension ReplicaPart {
    var spaceRemoval: SpaceRemoval { SpaceRemoval(context: context) }
}
