import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

/// An entry of the log that was damaged is put right, or is missing until a member brings its set.
@Suite struct LostEntryTests {
    /// A change of the newest entry's row, and whether the rest of the log proves what it was.
    struct Damage: Sendable, CustomTestStringConvertible {
        let columns: String
        let isProven: Bool

        init(_ columns: String, isProven: Bool = true) {
            (self.columns, self.isProven) = (columns, isProven)
        }

        var testDescription: String { columns }
    }

    static let damages = [
        Damage("upload = x'80'", isProven: false),
        Damage(
            "upload = CAST(substr(upload, 1, 99) || x'00000000' "
                + "|| substr(upload, 104) AS BLOB)",
            isProven: false
        ),
        Damage("upload = zeroblob(length(upload))", isProven: false),
        Damage("upload = NULL", isProven: false),
        Damage("replica_id = zeroblob(16)"),
        Damage("sequence = sequence + 64"),
        Damage("hash = zeroblob(32)"),
        Damage("verdict = 2"),
        Damage("verdict = 1"),
        Damage("verdict = 7"),
        Damage("admin = zeroblob(16)"),
        Damage("chain = zeroblob(32)"),
        Damage("chain = zeroblob(32), receipt = zeroblob(32)"),
        Damage("hash = zeroblob(32), receipt = zeroblob(32)"),
        Damage("hash = zeroblob(32), upload = zeroblob(200)", isProven: false),
        Damage(
            "hash = x'00', replica_id = x'00', upload = x'00', receipt = x'00'",
            isProven: false
        ),
    ]

    @Test(arguments: damages, [0, 1])
    func `each device has everything, and the server is sound again`(
        damage: Damage,
        fromEnd: UInt64
    ) async throws {
        let couple = try await Couple()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.boat.link())
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.boat.sync()
        try await couple.phone.set("notes", "calm", of: couple.track)
        try await couple.settle()
        let position = try await couple.head() - fromEnd
        try couple.server.damage("UPDATE log SET \(damage.columns) WHERE position = \(position)")
        try await couple.server.service.views.rebuild(couple.boat.space())

        let first = try await fresh.sync()
        #expect(first.end == .complete && first.rebased == 0 && first.problems.isEmpty)
        #expect(first.missing == (damage.isProven ? 0 : 1))
        let status = try await fresh.replica.read { try $0.maintenance.status() }
        #expect(status.missing == first.missing && status.pending == 0 && first.pending == 0)
        let faults = try await fresh.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults.count == first.missing)
        for _ in 0..<2 { #expect(try await fresh.sync().missing == first.missing) }
        let healer = try await couple.boat.sync()
        #expect(healer.end == .complete && healer.rebased == 0 && healer.mismatches == 0)
        #expect(try await fresh.sync().missing == 0)
        #expect(try await fresh.value("name", of: couple.track) == "at sea")
        #expect(try await fresh.value("notes", of: couple.track) == "calm")
        try await (couple.devices + [fresh]).settle(with: couple.server)
    }

    @Test func `who goes on from a damaged link gets the next entry at once`() async throws {
        let couple = try await Couple()
        try await couple.settle()
        let position = try await couple.head()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.boat.sync()
        try couple.server.damage("UPDATE log SET chain = zeroblob(32) WHERE position = \(position)")
        let result = try await couple.phone.sync()
        #expect(result.missing == 0 && result.pulled == 1 && result.rebased == 0)
        #expect(try await couple.phone.value("name", of: couple.track) == "at sea")
        #expect(try await couple.server.findings() == [])
    }

    @Test func `a name that the disk changed in the entry and not in its index is put right`()
        async throws
    {
        let couple = try await Couple()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.settle()
        let copy = try TestFolder()
        let path = copy.path + "/store.db"
        let database = try Database(path: couple.server.folder.path + "/store.db")
        try database.run("VACUUM INTO \(path)")
        let entry = try #require(
            try database.first("SELECT hash, receipt FROM log ORDER BY position DESC") {
                $0.blob(0) + $0.blob(1)
            }
        )
        var bytes = Array(try #require(FileManager.default.contents(atPath: path)))
        let place = try #require(bytes.ranges(of: entry).first).lowerBound
        for byte in place..<place + 8 { bytes[byte] ^= 0x55 }
        try Data(bytes).write(to: URL(filePath: path))
        let server = try TestServer(clock: couple.server.clock, folder: copy)
        #expect(try await server.findings() != [])
        #expect(try await server.store.mendLogs() == 1)
        #expect(try await server.findings() == [])
    }

    @Test func `each lost set comes back to its own place`() async throws {
        let couple = try await Couple()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.boat.link())
        for name in ["one", "two", "three"] {
            try await couple.boat.set("name", .text(Text(name)), of: couple.track)
            try await couple.settle()
        }
        let head = try await couple.head()
        try couple.server.damage(
            "UPDATE log SET upload = zeroblob(300), sequence = 0 WHERE position > \(head - 3)"
        )
        #expect(try await fresh.sync().missing == 3)
        try await couple.phone.sync()
        #expect(try await fresh.sync().missing == 0)
        try await (couple.devices + [fresh]).settle(with: couple.server)
    }

    @Test(arguments: ["upload = zeroblob(90)", "body = zeroblob(9)"])
    func `a damaged change of devices or keys stops the server until a member syncs`(
        damage: String
    ) async throws {
        let couple = try await Couple()
        let before = try await couple.server.copied(newEpoch: false)
        try await couple.boat.sync(over: before.transport)
        try before.damage(
            """
            UPDATE log SET \(damage) WHERE position = (SELECT max(position) FROM control_set)
            """
        )
        // After a restart it evaluates the chain again; its view of the space needs no entry.
        let server = try TestServer(clock: before.clock, folder: before.folder)
        try await couple.boat.set("name", "at sea", of: couple.track)
        let result = try await couple.boat.sync(over: server.transport)
        #expect(result.end == .complete && result.problems.isEmpty && result.pushed == 1)
        try await couple.phone.sync(over: server.transport)
        #expect(try await couple.phone.value("name", of: couple.track) == "at sea")
        #expect(try await server.findings() == [])
    }

    @Test func `a doctor that repairs mends the whole log, and no receipt of another server`()
        async throws
    {
        let couple = try await Couple()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.settle()
        let head = try await couple.head()
        try couple.server.damage("UPDATE log SET receipt = zeroblob(32) WHERE position = 2")
        try couple.server.damage("UPDATE log SET verdict = 2 WHERE position = \(head)")
        #expect(try await couple.server.findings().count == 3)
        #expect(try await couple.server.store.mendLogs() == 2)
        #expect(try await couple.server.findings() == [])
        try couple.server.damage("UPDATE log SET chain = zeroblob(32) WHERE position > 2")
        #expect(try await couple.server.store.mendLogs() == Int(head) - 2)
        #expect(try await couple.server.findings() == [])
        let other = try TestServer(folder: couple.server.folder, master: 9)
        #expect(try await other.store.mendLogs() == 0)
    }
}

extension TestServer {
    /// Changes the store's file behind the server's back.
    func damage(_ sql: String) throws {
        try Database(path: folder.path + "/store.db").execute(sql)
    }
}
