import Harness
import Testing

@testable import SyncCore
@testable import SyncServer

/// A flipped bit in the server's record of a replica's newest set.
@Suite(.hangLimit) struct DamagedHeadTests {
    static let columns = ["sequence", "hash", "closed", "signature", "controls", "sum"]

    /// A couple whose server has a flipped bit in the record of the boat's newest set.
    private func couple(damaging column: String) async throws -> Couple {
        let couple = try await Couple()
        try await couple.boat.set("name", "written", of: couple.track)
        try await couple.boat.sync()
        let replica = try await couple.boat.replica.read { try $0.identity.current() }.replica
        let database = try Database(path: couple.server.folder.path + "/store.db")
        try database.flip(
            [0],
            of: column,
            in: "replica_head",
            where: "hex(replica_id) = '\(replica.bytes.hexadecimal.uppercased())'"
        )
        return couple
    }

    @Test(arguments: columns) func `it is told, accuses nobody, and is gone after the next sync`(
        column: String
    ) async throws {
        let couple = try await couple(damaging: column)
        #expect(try await couple.server.findings().contains { $0.contains("is damaged") })
        let newcomer = try TestDevice("newcomer", couple.server)
        try await newcomer.join(try await couple.phone.link())
        try await couple.boat.sync()
        for device in [couple.phone, newcomer] { try await device.sync() }
        try await [couple.boat, couple.phone, newcomer].settle(with: couple.server)
    }

    @Test(arguments: columns.filter { $0 != "signature" })
    func `a signature that is not damaged is kept, so nobody needs the device`(column: String)
        async throws
    {
        let couple = try await couple(damaging: column)
        let newcomer = try TestDevice("newcomer", couple.server)
        try await newcomer.join(try await couple.phone.link())
        for _ in 0..<3 {
            try await newcomer.sync()
            couple.server.clock.advance(by: 2 * UnsignedHeads.patience)
        }
        #expect(try await newcomer.replica.read { try $0.breaches.all() } == [])
        #expect(try await newcomer.value("name", of: couple.track) == "written")
    }

    @Test(arguments: ["head = head + 1", "head = head | 64", "head = head / 2", "chain = x'00'"])
    func `a damaged record of the log's end is corrected, and nobody is told of another history`(
        damage: String
    ) async throws {
        let couple = try await Couple()
        for name in ["first", "second", "third"] as [Text] {
            try await couple.boat.set("name", .text(name), of: couple.track)
            try await couple.settle()
        }
        let head = try await couple.head()
        try Database(path: couple.server.folder.path + "/store.db").execute(
            "UPDATE space SET \(damage)"
        )
        #expect(try await couple.phone.sync().rebased == 0)
        #expect(try await couple.head() == head)
        try await couple.boat.set("name", "fourth", of: couple.track)
        try await couple.devices.settle(with: couple.server)
        #expect(try await couple.phone.value("name", of: couple.track) == "fourth")
        #expect(try await couple.head() == head + 1)
    }

    @Test(arguments: ["head = head + 1", "head = head / 2"])
    func `a damaged record of the log's end is no loss of entries`(damage: String) async throws {
        let couple = try await Couple()
        let server = couple.server
        try Database(path: server.folder.path + "/store.db").execute("UPDATE space SET \(damage)")
        let again = try TestServer(clock: server.clock, folder: server.folder)
        #expect(await again.store.epoch == server.store.epoch)
        try await couple.boat.set("name", "afterwards", of: couple.track)
        try await couple.devices.settle(with: again)
    }

    @Test func `of two sets with one name the first stays the newest one`() async throws {
        let bed = try await ToolBed()
        let database = try bed.database()
        let tables = SQLiteTables(database: database)
        let space = try #require(
            try database.first("SELECT space_id FROM space ORDER BY space_id") { $0.id(0) }
        )
        let before = try tables.headRecords(in: space).map(\.state)
        // The last set of the log gets a second one of its name, with a greater hash.
        try database.execute(
            """
            INSERT INTO log SELECT space_id, position + 1, replica_id, sequence, x'ff', verdict,
                reason, receipt, chain, (SELECT upload FROM log LIMIT 1), body, received
            FROM log ORDER BY position DESC LIMIT 1
            """
        )
        let last = "sequence = (SELECT max(sequence) FROM replica_head)"
        try database.flip([3], of: "controls", in: "replica_head", where: last)
        #expect(try tables.restoreHeads(in: space) == 1)
        let after = try tables.headRecords(in: space).map(\.state)
        #expect(after.map(\.head) == before.map(\.head))
        #expect(after.filter(\.isClosed).count == 1)
    }

    @Test func `a record under a wrong name is made again, and nothing is held up`() async throws {
        let couple = try await couple(damaging: "replica_id")
        #expect(try await couple.server.findings().contains { $0.contains("damaged or missing") })
        try await couple.boat.set("name", "again", of: couple.track)
        #expect(try await couple.boat.sync().end == .complete)
        #expect(try await couple.server.store.restoreHeads() == 1)
        #expect(try await couple.server.findings().isEmpty)
        #expect(try await couple.server.store.restoreHeads() == 0)
        try await couple.devices.settle(with: couple.server)
    }

    @Test(arguments: columns) func `the owner's next set is accepted`(column: String) async throws {
        let couple = try await couple(damaging: column)
        try await couple.boat.set("name", "again", of: couple.track)
        #expect(try await couple.boat.sync().end == .complete)
        try await [couple.boat, couple.phone].settle(with: couple.server)
        #expect(try await couple.phone.value("name", of: couple.track) == "again")
    }
}
