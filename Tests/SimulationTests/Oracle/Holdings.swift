@testable import SyncCore

/// Sets and chunks that a database has whole, and could bring to one that lacks them.
struct Holdings {
    private(set) var sets: Set<SetName> = []
    private(set) var chunks: Set<Chunk> = []

    /// A chunk helps in its own space alone, though another one may have the same bytes.
    struct Chunk: Hashable {
        let space: Identifier
        let hash: Digest
    }

    init() {}

    init(store database: Database) throws {
        sets = try Self.names(
            """
            SELECT space_id, replica_id, sequence, hash FROM log
            WHERE body IS NOT NULL AND verdict != 2
            """,
            database
        )
        chunks = Set(
            try database.all("SELECT space_id, hash FROM chunk") {
                Chunk(space: $0.id(0), hash: $0.digest(1))
            }
        )
    }

    init(replica database: Database) throws {
        sets = try Self.names(
            """
            SELECT p.id, r.id, q.sequence, q.hash
            FROM sealed q JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE q.body IS NOT NULL
            """,
            database
        )
        chunks = Set(
            try database.all(
                """
                SELECT p.id, c.hash FROM chunk c JOIN space p ON p.number = c.space
                WHERE c.bytes IS NOT NULL
                """
            ) { Chunk(space: $0.id(0), hash: $0.digest(1)) }
        )
    }

    private static func names(_ sql: SQL, _ database: Database) throws -> Set<SetName> {
        let names = try database.all(sql) {
            SetName(
                space: $0.id(0),
                replica: $0.id(1),
                sequence: $0.unsigned(2),
                hash: $0.digest(3)
            )
        }
        return Set(names)
    }

    var isEmpty: Bool { sets.isEmpty && chunks.isEmpty }

    mutating func subtract(_ other: Holdings) {
        sets.subtract(other.sets)
        chunks.subtract(other.chunks)
    }

    mutating func formUnion(_ other: Holdings) {
        sets.formUnion(other.sets)
        chunks.formUnion(other.chunks)
    }
}
