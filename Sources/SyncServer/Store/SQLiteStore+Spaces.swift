internal import SyncCore

extension SQLiteStore {
    func createSpace(_ space: Identifier, owner user: Identifier) async throws {
        try await write(isGrowing: true) { database in
            let inserted = try database.run(
                """
                INSERT INTO space (space_id, head, chain, greatest) VALUES ($1, 0, $2, 0)
                ON CONFLICT DO NOTHING
                """,
                .id(space),
                .digest(.zero)
            )
            if inserted == 1 {
                try database.run(
                    "INSERT INTO member (space_id, user_id, role) VALUES ($1, $2, $3)",
                    .id(space),
                    .id(user),
                    .integer(Role.owner.rawValue)
                )
            }
            _ = try Self.role(of: user, in: space, database)
        }
    }

    func spaces(of user: Identifier) async throws -> [Membership] {
        try database.all(
            """
            SELECT m.space_id, m.role, s.head FROM member m JOIN space s USING (space_id)
            WHERE m.user_id = $1 ORDER BY m.space_id
            """,
            .id(user)
        ) {
            Membership(
                space: $0.id(0),
                role: Role(rawValue: $0.integer(1)) ?? .viewer,
                head: $0.unsigned(2)
            )
        }
    }

    /// The person who owns a space, for the operator; ``StoreError/notFound`` where there is none.
    func owner(of space: Identifier) async throws -> Identifier {
        let owner = try database.first(
            "SELECT user_id FROM member WHERE space_id = $1 AND role = $2",
            .id(space),
            .integer(Role.owner.rawValue)
        ) { $0.id(0) }
        guard let owner else { throw StoreError.notFound }
        return owner
    }

    /// The role of a person in a space; ``StoreError/notFound`` for anyone else and any other.
    static func role(
        of user: Identifier,
        in space: Identifier,
        _ database: Database
    ) throws -> Role {
        let role = try database.first(
            "SELECT role FROM member WHERE space_id = $1 AND user_id = $2",
            .id(space),
            .id(user)
        ) { Role(rawValue: $0.integer(0)) ?? .viewer }
        guard let role else { throw StoreError.notFound }
        return role
    }
}

extension SQLiteStore {
    func putChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws {
        try await write(isGrowing: true) { database in
            guard try Self.role(of: user, in: space, database) != .viewer else {
                throw StoreError.forbidden
            }
            try Self.insertChunk(bytes, hash, in: space, database)
        }
    }

    static func insertChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO chunk (space_id, hash, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """,
            .id(space),
            .digest(hash),
            .blob(bytes)
        )
        try database.run(
            "DELETE FROM wanted_chunk WHERE space_id = $1 AND hash = $2",
            .id(space),
            .digest(hash)
        )
    }

    /// So many chunks of a space are on its list; a member cannot fill the disk with wishes.
    static let wantedLimit = 1000
    /// So many of them at most by members' questions alone.
    private static let wishLimit = 500

    func want(_ hash: Digest, in space: Identifier, for user: Identifier) async throws {
        try await write { database in
            _ = try Self.role(of: user, in: space, database)
            try Self.want(hash, in: space, limit: Self.wishLimit, database)
        }
    }

    static func want(
        _ hash: Digest,
        in space: Identifier,
        limit: Int = wantedLimit,
        _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO wanted_chunk (space_id, hash) SELECT $1, $2
            WHERE (SELECT count(*) FROM wanted_chunk WHERE space_id = $1) < $3
                AND NOT EXISTS (SELECT 1 FROM chunk WHERE space_id = $1 AND hash = $2)
            ON CONFLICT DO NOTHING
            """,
            .id(space),
            .digest(hash),
            .count(limit)
        )
    }

    func wantedChunks(of space: Identifier, for user: Identifier) async throws -> [Digest] {
        try database.all(
            """
            SELECT w.hash FROM wanted_chunk w JOIN member m USING (space_id)
            WHERE w.space_id = $1 AND m.user_id = $2 ORDER BY w.hash
            """,
            .id(space),
            .id(user)
        ) { $0.digest(0) }
    }

    func chunk(
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws -> [UInt8] {
        let bytes = try database.first(
            """
            SELECT c.bytes FROM chunk c JOIN member m USING (space_id)
            WHERE c.space_id = $1 AND c.hash = $2 AND m.user_id = $3
            """,
            .id(space),
            .digest(hash),
            .id(user)
        ) { $0.blob(0) }
        guard let bytes else { throw StoreError.notFound }
        guard Digest(of: bytes) == hash else {
            try await drop(hash, in: space)
            throw StoreError.notFound
        }
        return bytes
    }

    /// Lets go of bytes that the disk has changed, so that a device brings the chunk again.
    private func drop(_ hash: Digest, in space: Identifier) async throws {
        try await write { database in
            try database.run(
                "DELETE FROM chunk WHERE space_id = $1 AND hash = $2",
                .id(space),
                .digest(hash)
            )
            try Self.want(hash, in: space, database)
        }
    }

    func lacking(
        _ hashes: [Digest],
        in space: Identifier,
        for user: Identifier
    ) async throws -> [Digest] {
        _ = try Self.role(of: user, in: space, database)
        return try hashes.filter { try !Self.hasChunk($0, in: space, database) }
    }

    static func hasChunk(
        _ hash: Digest,
        in space: Identifier,
        _ database: Database
    ) throws -> Bool {
        try database.first(
            "SELECT 1 FROM chunk WHERE space_id = $1 AND hash = $2",
            .id(space),
            .digest(hash)
        ) { _ in true } ?? false
    }
}
