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

    @Test(
        arguments: [
            "upload = zeroblob(90)", "body = zeroblob(9)", "hash = zeroblob(32)", "chain = x'00'",
            "verdict = 7", "replica_id = x'00'",
        ],
        [false, true]
    )
    func `a device can join after a change of devices or keys was damaged`(
        damage: String,
        isRestarted: Bool
    ) async throws {
        let couple = try await Couple()
        let link = try await couple.boat.link()
        try await couple.phone.sync()
        let position = try #require(try couple.server.positionsOfControls().last)
        try couple.server.damage("UPDATE log SET \(damage) WHERE position = \(position)")
        let server =
            isRestarted
            ? try TestServer(clock: couple.server.clock, folder: couple.server.folder)
            : couple.server
        let fresh = try TestDevice("fresh", server)
        for _ in 0..<2 {
            do {
                try await fresh.join(link)
                break
            } catch let problem as ServerProblem where problem.type == .unavailable {
                // It is lost until a member syncs.
                try await couple.phone.sync(over: server.transport)
            }
        }
        try await fresh.sync()
        #expect(try await server.findings() == [])
    }

    /// Damage of several entries: the newest has the position ?1.
    static let wideDamages = [
        "UPDATE log SET chain = zeroblob(32), receipt = zeroblob(32) WHERE position > ?1 - 2",
        "UPDATE log SET chain = zeroblob(32), receipt = zeroblob(32) WHERE position IN (?1 - 2, ?1 - 1)",
        "UPDATE log SET chain = zeroblob(32) WHERE position > ?1 - 3",
        "UPDATE log SET receipt = zeroblob(32), chain = x'00' WHERE position > ?1 - 4",
        "UPDATE space SET chain = zeroblob(32)",
    ]

    @Test(arguments: wideDamages) func `no sound set is deleted, whatever else is damaged`(
        damage: String
    ) async throws {
        let couple = try await Couple()
        for name in ["one", "two", "three"] {
            try await couple.boat.set("name", .text(Text(name)), of: couple.track)
            try await couple.settle()
        }
        let head = try await couple.head()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.boat.link())
        let newest = try await couple.head()
        #expect(newest > head)
        try couple.server.damage(damage.replacingOccurrences(of: "?1", with: "\(newest)"))
        let first = try await fresh.sync()
        #expect(first.end == .complete && first.missing == 0 && first.rebased == 0)
        #expect(try await fresh.value("name", of: couple.track) == "three")
        _ = try await couple.server.store.repairLogs()
        #expect(try await couple.server.findings() == [])
        try await couple.boat.set("notes", "after it", of: couple.track)
        try await (couple.devices + [fresh]).settle(with: couple.server)
    }

    @Test func `a device that has everything is not sent back by a damaged link`() async throws {
        let couple = try await Couple()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.settle()
        try couple.server.damage(
            "UPDATE log SET chain = zeroblob(32) WHERE position = \(try await couple.head())"
        )
        let result = try await couple.boat.sync()
        #expect(result.end == .complete && result.rebased == 0 && result.pulled == 0)
        #expect(try await couple.server.findings() == [])
    }

    @Test func `an edit after what has a damaged link is taken`() async throws {
        let couple = try await Couple()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.settle()
        let seen = try await couple.head()
        try await couple.phone.set("sport", "sailing", of: couple.track)
        try await couple.phone.sync()
        try couple.server.damage("UPDATE log SET chain = zeroblob(32) WHERE position = \(seen)")
        try await couple.boat.set("notes", "calm", of: couple.track)
        let result = try await couple.boat.sync()
        #expect(result.end == .complete && result.rebased == 0 && result.pushed == 1)
        try await couple.devices.settle(with: couple.server)
    }

    /// Damage of an entry, and whether it stays between a lost one and the end.
    @Test(arguments: [("chain = x'00'", true), ("chain = x'00', receipt = x'00'", false)])
    func `an entry before a lost one is there, and its receipt proves it`(
        damage: String,
        isProven: Bool
    ) async throws {
        let couple = try await Couple()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.boat.link())
        var positions: [UInt64] = []
        for field in ["name", "notes"] {
            try await couple.boat.set(Text(field), .text("at sea"), of: couple.track)
            try await couple.boat.sync()
            positions.append(try await couple.head())
        }
        try await couple.settle()
        try couple.server.damage(
            """
            UPDATE log SET \(damage) WHERE position = \(positions[0]);
            UPDATE log SET hash = x'00', upload = x'00', receipt = x'00'
            WHERE position = \(positions[1])
            """
        )
        let first = try await fresh.sync()
        #expect(first.end == .complete && first.missing == 1, "\(first)")
        #expect(try await fresh.value("name", of: couple.track) == "at sea")
        try await couple.boat.sync()
        #expect(try await fresh.sync().missing == (isProven ? 0 : 1))
        guard isProven else { return }
        _ = try await couple.server.store.repairLogs()
        try await (couple.devices + [fresh]).settle(with: couple.server)
        #expect(try await couple.server.findings() == [])
    }

    @Test func `a right entry between two that are wholly damaged is left as it is`() async throws {
        let couple = try await Couple()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.boat.link())
        var positions: [UInt64] = []
        for field in ["name", "notes", "sport"] {
            try await couple.boat.set(Text(field), .text("at sea"), of: couple.track)
            try await couple.boat.sync()
            positions.append(try await couple.head())
        }
        try await couple.settle()
        try couple.server.damage(
            """
            UPDATE log SET chain = x'00', hash = x'00', receipt = x'00', upload = x'00'
            WHERE position IN (\(positions[0]), \(positions[2]))
            """
        )
        #expect(try await fresh.sync().missing == 2)
        #expect(try await fresh.value("notes", of: couple.track) == "at sea")
        for _ in 0..<2 { try await couple.boat.sync() }
        #expect(try await fresh.sync().missing == 0)
        try await (couple.devices + [fresh]).settle(with: couple.server)
    }

    @Test func `behind a lost entry that nobody has, all others are there`() async throws {
        let couple = try await Couple()
        var positions: [UInt64] = []
        for name in ["one", "two", "three"] {
            try await couple.boat.set("name", .text(Text(name)), of: couple.track)
            try await couple.boat.sync()
            positions.append(try await couple.head())
        }
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.boat.link())
        try couple.server.damage(
            """
            UPDATE log SET chain = x'00', hash = x'00', receipt = x'00', upload = x'00'
            WHERE position = \(positions[1])
            """
        )
        for _ in 0..<2 {
            let result = try await fresh.sync()
            #expect(result.end == .complete && result.missing == 1)
        }
        #expect(try await fresh.value("name", of: couple.track) == "three")
        // A store that is emptied gets everything, and nobody is told of that entry any more.
        let empty = try TestServer(clock: couple.server.clock)
        for device in [couple.boat, fresh, couple.phone, fresh] {
            try await device.sync(over: empty.transport)
        }
        let status = try await fresh.replica.read { try $0.maintenance.status() }
        #expect(status.missing == 0 && status.pending == 0)
        #expect(try await fresh.replica.read { try $0.unreadable.all() }.isEmpty)
    }

    @Test func `the receipts of a server with another key are left as they are`() async throws {
        let couple = try await Couple()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.settle()
        let receipts = { try couple.server.receipts() }
        let before = try receipts()
        try couple.server.damage("UPDATE log SET verdict = 2 WHERE position = 3")
        let other = try TestServer(folder: couple.server.folder, master: 9)
        #expect(try await other.store.repairLogs() == 1)
        #expect(try receipts() == before)
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
        #expect(try await server.store.repairLogs() == 1)
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
        let idle = try await couple.boat.sync(over: server.transport)
        #expect(idle.end == .complete && idle.problems.isEmpty)
        try await couple.boat.set("name", "at sea", of: couple.track)
        let result = try await couple.boat.sync(over: server.transport)
        #expect(result.end == .complete && result.problems.isEmpty && result.pushed == 1)
        try await couple.phone.sync(over: server.transport)
        #expect(try await couple.phone.value("name", of: couple.track) == "at sea")
        #expect(try await server.findings() == [])
    }

    @Test func `a doctor repairs the whole log, and no receipt of another server`()
        async throws
    {
        let couple = try await Couple()
        try await couple.boat.set("name", "at sea", of: couple.track)
        try await couple.settle()
        let head = try await couple.head()
        try couple.server.damage("UPDATE log SET receipt = zeroblob(32) WHERE position = 2")
        try couple.server.damage("UPDATE log SET verdict = 2 WHERE position = \(head)")
        #expect(try await couple.server.findings().count == 3)
        #expect(try await couple.server.store.repairLogs() == 2)
        #expect(try await couple.server.findings() == [])
        try couple.server.damage("UPDATE log SET chain = zeroblob(32) WHERE position > 2")
        #expect(try await couple.server.store.repairLogs() == Int(head) - 2)
        #expect(try await couple.server.findings() == [])
        let other = try TestServer(folder: couple.server.folder, master: 9)
        #expect(try await other.store.repairLogs() == 0)
    }
}

extension TestServer {
    func positionsOfControls() throws -> [Int64] {
        try Database(path: folder.path + "/store.db")
            .all("SELECT position FROM control_set ORDER BY place") { $0.integer(0) }
    }

    func receipts() throws -> [[UInt8]] {
        try Database(path: folder.path + "/store.db")
            .all("SELECT receipt FROM log ORDER BY space_id, position") { $0.blob(0) }
    }

    /// Changes the store's file behind the server's back.
    func damage(_ sql: String) throws {
        try Database(path: folder.path + "/store.db").execute(sql)
    }
}
