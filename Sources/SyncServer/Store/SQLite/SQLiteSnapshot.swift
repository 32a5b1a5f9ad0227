internal import SyncCore

/// One state of a store's SQLite file; the caller opens the read transaction.
struct SQLiteSnapshot: StoreSnapshot {
    let database: Database

    func structureFaults() throws -> [String] {
        do {
            return try database.all("PRAGMA integrity_check(10)") { $0.text(0) }
                .filter { $0 != "ok" }
        } catch let error as DatabaseError where error.kind == .corrupt {
            return [error.message]
        }
    }

    func faultyPages() throws -> (corrected: FaultyPages, damaged: FaultyPages)? {
        guard database.hasChecksums else { return nil }
        try database.scanPages()
        return (database.correctedPages, database.damagedPages)
    }

    func itemCount() throws -> Int {
        try database.first("SELECT (SELECT count(*) FROM log) + (SELECT count(*) FROM chunk)") {
            Int($0.integer(0))
        } ?? 0
    }

    func spaces() throws -> [SpaceExtent] {
        try database.all("SELECT space_id, head, chain FROM space ORDER BY space_id") {
            SpaceExtent(space: $0.id(0), head: $0.unsigned(1), chain: $0.digest(2))
        }
    }

    func straySpaces() throws -> [Identifier] {
        try database.all(
            "SELECT DISTINCT space_id FROM log WHERE space_id NOT IN (SELECT space_id FROM space)"
        ) { $0.id(0) }
    }

    func heads(of space: Identifier) throws -> [HeadRecord] {
        try SQLiteTables(database: database).headRecords(in: space)
    }

    func mirror(of space: Identifier) throws -> ChainMirror {
        var mirror = ChainMirror()
        let end = try database.first(
            "SELECT control_head, controls FROM space WHERE space_id = \(space)"
        ) { (head: $0.digest(0), count: $0.unsigned(1)) }
        if let end { (mirror.head, mirror.count) = end }
        mirror.sets = try database.all(
            "SELECT place, position FROM control_set WHERE space_id = \(space) ORDER BY place"
        ) { ChainMirror.Place(index: $0.unsigned(0), position: $0.unsigned(1)) }
        let members = try database.all(
            "SELECT user_id, role FROM member WHERE space_id = \(space)"
        ) { ($0.id(0), Role(rawValue: $0.text(1)) ?? .viewer) }
        mirror.members = Dictionary(members) { $1 }
        let founding = try database.first(
            "SELECT founder, kind FROM space WHERE space_id = \(space) AND founder IS NOT NULL"
        ) { (user: $0.id(0), kind: SpaceKind(rawValue: $0.text(1))) }
        (mirror.founder, mirror.kind) = (founding?.user, founding?.kind)
        try database.each(
            """
            SELECT c.device_id, c.user_id, c.ended, d.user_id, d.revoked, r.device_id IS NOT NULL
            FROM card c LEFT JOIN device d USING (device_id) LEFT JOIN revocation r USING (device_id)
            WHERE c.space_id = \(space)
            """
        ) { row in
            mirror.cards[row.id(0)] = ChainMirror.Card(
                user: row.id(1),
                isLive: row.integer(2) == 0,
                deviceUser: row.isNull(3) ? nil : row.id(3),
                isRevoked: row.integer(4) == 1,
                isShutOut: row.integer(5) == 1
            )
        }
        return mirror
    }

    func eachEntry(of space: Identifier, _ body: (LogRow) throws -> Void) throws {
        try database.each(
            """
            SELECT position, replica_id, sequence, hash, verdict, receipt, chain, upload, body
            FROM log WHERE space_id = \(space) ORDER BY position
            """
        ) { try body(LogRow($0)) }
    }

    func hasChunk(_ chunk: ChunkPlace) throws -> Bool {
        try SQLiteTables(database: database).hasChunk(chunk.hash, in: chunk.space)
    }

    func eachChunk(_ body: (ChunkPlace, [UInt8]) throws -> Void) throws {
        try database.each("SELECT space_id, hash, bytes FROM chunk") {
            try body(ChunkPlace(space: $0.id(0), hash: $0.digest(1)), $0.blob(2))
        }
    }

    func wantedChunks() throws -> Set<ChunkPlace> {
        Set(
            try database.all("SELECT space_id, hash FROM wanted_chunk") {
                ChunkPlace(space: $0.id(0), hash: $0.digest(1))
            }
        )
    }

    func revocations() throws -> Set<Identifier> {
        Set(try database.all("SELECT device_id FROM revocation") { $0.id(0) })
    }

    func revocationsNotInForce() throws -> Set<Identifier> {
        Set(
            try database.all(
                """
                SELECT r.device_id FROM revocation r JOIN device d USING (device_id)
                WHERE d.revoked = 0
                """
            ) { $0.id(0) }
        )
    }

    func devices(of space: Identifier) throws -> [HostedDevice] {
        let tables = SQLiteTables(database: database)
        guard let end = try tables.endIfHosted(of: space) else { return [] }
        return try tables.chain(of: space, end).cards.values
            .sorted { ($0.term.admitted, $0.card.device) < ($1.term.admitted, $1.card.device) }
            .map { known in
                HostedDevice(
                    space: space,
                    id: known.card.device,
                    name: try tables.device(known.card.device)?.name ?? "",
                    kind: known.card.kind,
                    since: known.term.time,
                    voucher: known.voucher,
                    isRevoked: !known.isLive
                )
            }
    }

    func controlCounts() throws -> [ControlCount] {
        try database.all(
            "SELECT space_id, head, controls, named FROM space ORDER BY space_id"
        ) { row in
            let space = row.id(0)
            return ControlCount(
                space: space,
                devices: try database.all(
                    """
                    SELECT d.name FROM card c JOIN device d USING (device_id)
                    WHERE c.space_id = \(space) AND c.ended = 0 AND d.revoked = 0
                        AND d.kind = 'device'
                    ORDER BY d.enrolled, d.device_id
                    """
                ) { $0.text(0) },
                head: row.unsigned(1),
                controls: row.unsigned(2),
                named: row.unsigned(3)
            )
        }
    }

    func backupTimes() throws -> [UnixTime?] {
        try database.all("SELECT backup_time FROM space WHERE head > 0") {
            $0.isNull(0) ? nil : UnixTime(milliseconds: $0.integer(0))
        }
    }
}
