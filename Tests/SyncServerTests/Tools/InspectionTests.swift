import SyncCore
import Testing

@testable import SyncServer

/// What is recomputed of a store finds whatever was changed in it.
@Suite struct InspectionTests {
    /// A change of the file, and what finds it.
    struct Damage: Sendable, CustomTestStringConvertible {
        let sql: String
        let checks: Set<Findings.Check>

        init(_ sql: String, _ checks: Findings.Check...) {
            self.sql = sql
            self.checks = Set(checks)
        }

        var testDescription: String { sql }
    }

    /// The positions of the second and the third set of the author's in the log.
    private static let second = Author(device: 1).person.controls + 2
    private static let third = second + 1

    static let damages = [
        Damage("UPDATE log SET receipt = zeroblob(32) WHERE position = \(second)", .receipts),
        Damage("UPDATE log SET chain = zeroblob(32) WHERE position = \(second)", .chains),
        Damage("UPDATE log SET chain = zeroblob(32) WHERE position = \(third)", .chains),
        Damage("UPDATE log SET body = x'80' WHERE position = \(second)", .seals),
        Damage("UPDATE log SET upload = x'80' WHERE position = \(second)", .seals),
        Damage(
            "UPDATE log SET sequence = 9 WHERE position = \(third)",
            .chains,
            .receipts,
            .seals
        ),
        Damage("UPDATE log SET verdict = 2 WHERE position = \(second)", .chains, .receipts),
        Damage("UPDATE log SET verdict = 7 WHERE position = \(second)", .chains),
        Damage("UPDATE log SET upload = NULL WHERE position = \(second)", .chains),
        Damage("DELETE FROM log WHERE position = \(second)", .chains),
        Damage("DELETE FROM log WHERE position = \(third)", .chains, .heads),
        Damage("UPDATE log SET position = 9 WHERE position = \(third)", .chains),
        Damage("UPDATE space SET head = \(second)", .chains),
        Damage("UPDATE space SET head = \(third + 1)", .chains),
        Damage("UPDATE space SET chain = zeroblob(32)", .chains),
        Damage("DELETE FROM space", .chains),
        Damage("UPDATE replica_head SET sequence = 2", .heads),
        Damage("DELETE FROM replica_head", .heads),
        Damage("UPDATE control_set SET place = place + 4", .members),
        Damage("UPDATE control_set SET position = position + 1", .members),
        Damage("UPDATE space SET control_head = zeroblob(32)", .members),
        Damage("UPDATE member SET user_id = zeroblob(16)", .members),
        Damage("UPDATE device SET user_id = zeroblob(16)", .members),
        Damage("DELETE FROM device", .members),
        Damage("UPDATE space SET controls = controls + 4", .members),
        Damage("UPDATE member SET role = 'viewer'", .members),
        Damage("UPDATE device SET revoked = 1", .members),
        Damage("UPDATE control_set SET place = 1 WHERE place = 0", .members),
        Damage(
            "UPDATE replica_head SET replica_id = zeroblob(16) "
                + "WHERE sequence = (SELECT max(sequence) FROM replica_head)",
            .heads
        ),
        Damage("UPDATE chunk SET bytes = x'00'", .chunks),
    ]

    @Test(arguments: damages) func `whatever is changed is found`(damage: Damage) async throws {
        let bed = try await ToolBed()
        try bed.database().execute(damage.sql)
        let inspection = try Inspection(
            of: SQLiteSnapshot(database: try bed.database()),
            keys: Author.serverKeys
        )
        let found = Set(Findings.Check.allCases.filter { !inspection.findings.words($0).isEmpty })
        #expect(found == damage.checks, "\(inspection.findings.words)")
        await #expect(throws: BackupError.unsound(path: bed.folder.store, inspection.findings)) {
            try await bed.backup()()
        }
        #expect(try names(in: bed.folder.path).isDisjoint(with: ["backup.db", "backup.db.draft"]))
        let told = try bed.database().first("SELECT sum(backed_up) FROM space") { $0.integer(0) }
        #expect(told == 0)
    }

    @Test func `a store as it is has nothing wrong`() async throws {
        let bed = try await ToolBed()
        let count = bed.entryCount(sets: 3) + bed.chunks.count
        let seen = Locked<[Int]>([])
        let inspection = try Inspection(
            of: SQLiteSnapshot(database: try bed.database()),
            keys: Author.serverKeys
        ) {
            let done = $0
            seen.withLock { $0.append(done) }
            #expect($1 == count)
        }
        #expect(inspection.findings.isEmpty && inspection.lackingChunks.isEmpty)
        #expect(inspection.spaces.heads == bed.heads(sets: 3))
        #expect(inspection.chunkCount == bed.chunks.count)
        #expect(inspection.spaces.allSatisfy { $0.whole == $0.head })
        #expect(seen.withLock { $0 } == Array(1...count))
    }

    @Test func `another server's keys fit nothing`() async throws {
        let bed = try await ToolBed()
        let keys = ServerKeys(master: Secret(bytes: [UInt8](repeating: 8, count: 32)))
        let inspection = try Inspection(
            of: SQLiteSnapshot(database: try bed.database()),
            keys: keys
        )
        #expect(inspection.findings.words(.receipts).count == bed.entryCount(sets: 3))
        // The authors of control sets signed them themselves.
        #expect(inspection.findings.words(.seals).count == 3)
        #expect(inspection.findings.words(.chains).isEmpty)
    }

    @Test func `a signature covers the sets before it, up to a gap`() async throws {
        let couple = try await Couple()
        for name in ["one", "two", "three"] as [Value] {
            try await couple.boat.set("name", name, of: couple.track)
            try await couple.boat.sync()
        }
        let database = try Database(path: couple.server.folder.path + "/store.db")
        let keys = ServerKeys(master: Secret(bytes: [UInt8](repeating: 8, count: 32)))
        let seals = { () throws -> [String] in
            try Inspection(of: SQLiteSnapshot(database: database), keys: keys)
                .findings.words(.seals)
        }
        #expect(try seals() == [])
        // Without the second name, nothing proves the first one.
        try database.execute(
            "DELETE FROM log WHERE position = (SELECT max(position) - 1 FROM log)"
        )
        #expect(try seals().count == 1)
    }

    @Test func `of a closed replica two sets may go by one name`() async throws {
        let bed = try await ToolBed()
        let database = try bed.database()
        // The third set goes by the second one's sequence.
        try database.execute(
            """
            UPDATE log SET upload = (SELECT upload FROM log WHERE position = \(Self.second))
            WHERE position = \(Self.third)
            """
        )
        let hash = try #require(
            try database.first("SELECT hash FROM log WHERE position = \(Self.second)") {
                $0.digest(0)
            }
        )
        let head = ReplicaHead(sequence: 2, hash: hash)
        try Self.store(ReplicaState(head: head), in: database)
        let faults = { () throws -> [String] in
            try Inspection(of: SQLiteSnapshot(database: database), keys: Author.serverKeys)
                .findings.words(.heads)
        }
        #expect(try faults().count == 1)
        try Self.store(ReplicaState(head: head, isClosed: true), in: database)
        #expect(try faults().isEmpty)
    }

    /// Records another newest set of the replica that has three.
    private static func store(_ state: ReplicaState, in database: Database) throws {
        let tables = SQLiteTables(database: database)
        let space = try #require(
            try database.first("SELECT space_id FROM space ORDER BY space_id") { $0.id(0) }
        )
        let record = try tables.headRecords(in: space).first { ($0.state.head?.sequence ?? 0) > 1 }
        try tables.storeHead(state, of: try #require(record).replica, in: space)
    }

    @Test func `of many faults a few are told, and how many there are`() {
        var findings = Findings()
        for number in 1...25 { findings.note(.chains, "\(number)") }
        #expect(findings.words == (1...10).map { "\($0)" } + ["and 15 more"])
        var sum = Findings("first")
        sum.merge(findings)
        sum.merge(findings)
        #expect(sum.words(.structure) == ["first"])
        #expect(sum.words(.chains).last == "and 40 more")
    }
}
