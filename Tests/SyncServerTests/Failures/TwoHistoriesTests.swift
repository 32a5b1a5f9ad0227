@testable import SyncCore
import Testing

@testable import SyncServer

/// A server that shows its members two logs, and honest ones that look alike.
@Suite struct TwoHistoriesTests {
    private let track = Identifier(number: 42)

    /// Two devices to which a server shows two logs of one epoch, once each has written there.
    private struct Fork {
        let server: TestServer
        let other: TestServer
        let boat: TestDevice
        let phone: TestDevice
        let space: Identifier
        /// The end of what both logs have.
        let common: UInt64

        /// - Parameter edits: how often each device edits after the logs part.
        init(_ track: Identifier, edits: (boat: Int, phone: Int), newEpoch: Bool = false)
            async throws
        {
            let couple = try await Couple()
            (server, boat, phone) = (couple.server, couple.boat, couple.phone)
            (space, common) = (try await boat.space(), try await couple.head())
            other = try await server.copied(newEpoch: newEpoch)
            for number in 0..<edits.boat {
                try await boat.set("name", .integer(Int64(number)), of: track)
                try await boat.sync()
            }
            try await phone.sync(over: other.transport)
            for number in 0..<edits.phone {
                try await phone.set("notes", .integer(Int64(number)), of: track)
                try await phone.sync(over: other.transport)
            }
        }

        func breaches(of device: TestDevice) async throws -> [Breach.Kind?] {
            try await device.replica.read { try $0.breaches.all() }.map(\.kind)
        }
    }

    @Test(arguments: [1, 2, 5, 40])
    func `the first set that crosses shows two logs of one epoch`(edits: Int) async throws {
        let fork = try await Fork(track, edits: (edits + 1, edits))
        let (server, other, space) = (fork.server, fork.other, fork.space)
        #expect(try await fork.breaches(of: fork.phone).isEmpty)
        // The boat wrote its first set before it saw anything that the phone did not.
        try await other.take(1, after: fork.common, from: server, in: space)
        try await fork.phone.sync(over: other.transport)
        #expect(try await fork.breaches(of: fork.phone).isEmpty)
        try await other.take(1, after: fork.common + 1, from: server, in: space)
        try await fork.phone.sync(over: other.transport)
        #expect(try await fork.breaches(of: fork.phone) == [.twoHistories])
        // Once for each author, however many sets cross.
        try await other.take(edits - 1, after: fork.common + 2, from: server, in: space)
        try await fork.phone.sync(over: other.transport)
        #expect(try await fork.breaches(of: fork.phone) == [.twoHistories])
        // The other way round it shows as well.
        try await server.take(1, after: fork.common, from: other, in: space)
        try await fork.boat.sync()
        #expect(try await fork.breaches(of: fork.boat).isEmpty)
        guard edits > 1 else { return }
        try await server.take(1, after: fork.common + 1, from: other, in: space)
        try await fork.boat.sync()
        #expect(try await fork.breaches(of: fork.boat) == [.twoHistories])
    }

    @Test(arguments: [Verdict.held, .refused])
    func `a set that the server does not accept shows two logs as well`(
        verdict: Verdict
    ) async throws {
        let fork = try await Fork(track, edits: (3, 2))
        let (server, other, space) = (fork.server, fork.other, fork.space)
        try await other.take(1, after: fork.common + 1, from: server, in: space, as: verdict)
        try await fork.phone.sync(over: other.transport)
        #expect(try await fork.breaches(of: fork.phone).contains(.twoHistories))
    }

    @Test func `entries that another member has seen are withheld`() async throws {
        let fork = try await Fork(track, edits: (6, 0))
        try await fork.other.take(1, after: fork.common + 5, from: fork.server, in: fork.space)
        try await fork.phone.sync(over: fork.other.transport)
        #expect(try await fork.breaches(of: fork.phone) == [.withheld])
    }

    @Test func `another log of one epoch is told at once by the device that knew the first`()
        async throws
    {
        let fork = try await Fork(track, edits: (2, 3))
        let result = try await fork.boat.sync(over: fork.other.transport)
        #expect(result.end == .complete && result.rebased == 1)
        #expect(try await fork.breaches(of: fork.boat) == [.twoHistories])
        #expect(try await fork.boat.value("name", of: track) == .integer(1))
    }

    /// Of equal length, or the restored one is the shorter or the longer.
    @Test(arguments: [3, 2, 4])
    func `a restore whose log is not a part of the earlier one is told at once`(
        others: Int
    ) async throws {
        let fork = try await Fork(track, edits: (3, others))
        let restored = try await fork.other.copied(newEpoch: true)
        try await fork.boat.sync(over: restored.transport)
        #expect(try await fork.breaches(of: fork.boat) == [.twoHistories])
    }

    @Test(arguments: [0, 1, 3])
    func `restores from one backup are no breach, and the second accepts the first`(
        edits: Int
    ) async throws {
        let fork = try await Fork(track, edits: (2, edits), newEpoch: true)
        // The boat goes from the first log to the third, the phone by way of the second.
        let third = try await fork.server.copied(newEpoch: true)
        try await [fork.boat, fork.phone].settle(with: third)
        let chain = try unwrapped(try await third.store.chain(of: fork.space))
        let named = chain.serverEpochs.values.flatMap { $0 }.map(\.position.epoch)
        let second = await fork.other.store.epoch
        #expect(named == [second])
    }

    @Test func `a wiped server counts once a device that knew the earlier log accepts it`()
        async throws
    {
        let couple = try await Couple()
        for device in couple.devices {
            try await device.set("name", "at sea", of: track)
            try await device.sync()
        }
        let empty = try TestServer(clock: couple.server.clock)
        try await couple.devices.settle(with: empty)
        let space = try await couple.boat.space()
        let chain = try unwrapped(try await empty.store.chain(of: space))
        let (lost, present) = (await couple.server.store.epoch, await empty.store.epoch)
        #expect(chain.serverEpochs.mapValues { $0.map(\.position.epoch) } == [present: [lost]])
        // A third server takes the place of the second: the line leads on.
        let next = try TestServer(clock: couple.server.clock)
        try await couple.devices.settle(with: next)
        let fresh = try TestDevice("fresh", next)
        try await fresh.join(try await couple.boat.link(at: next))
        try await (couple.devices + [fresh]).settle(with: next)
    }

    @Test func `an older copy of a database believes what its device was shown since`() async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        for device in couple.devices { try await device.sync() }
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        // Two servers were wiped; the second was hosted again before the copy was put back.
        let wiped = try TestServer(clock: couple.server.clock)
        try await boat.sync(over: wiped.transport)
        let empty = try TestServer(clock: couple.server.clock)
        try await boat.sync(over: DeafTransport(router: empty.router))
        for _ in 0..<2 {
            try await image.sync(over: empty.transport)
            couple.server.clock.advance(by: UnsignedHeads.patience)
        }
        let breaches = try await image.replica.read { try $0.breaches.all() }
        #expect(breaches.isEmpty, "\(breaches)")
        try await [image, couple.phone].settle(with: empty)
    }

    @Test func `a log that nobody accepts is a breach after an hour, and none once it is`()
        async throws
    {
        let fork = try await Fork(track, edits: (1, 2), newEpoch: true)
        // The server shows the phone another restore, as if the boat's had never been.
        let third = try await fork.server.copied(newEpoch: true)
        try await fork.boat.sync(over: third.transport)
        try await fork.boat.set("sport", "sail", of: track)
        try await fork.boat.sync(over: third.transport)
        let head = try await third.head(of: fork.space)
        try await fork.other.take(1, after: head - 1, from: third, in: fork.space)
        try await fork.phone.sync(over: fork.other.transport)
        #expect(try await fork.breaches(of: fork.phone).isEmpty)
        fork.server.clock.advance(by: UnsignedHeads.patience)
        try await fork.phone.sync(over: fork.other.transport)
        #expect(try await fork.breaches(of: fork.phone) == [.twoHistories])
        // The boat comes from that log, and says so.
        for device in [fork.boat, fork.phone, fork.boat, fork.phone] {
            try await device.sync(over: fork.other.transport)
        }
        #expect(try await fork.breaches(of: fork.phone).isEmpty)
    }

    @Test func `a server that goes back to an earlier epoch is told`() async throws {
        let fork = try await Fork(track, edits: (1, 1), newEpoch: true)
        try await fork.boat.sync(over: fork.other.transport)
        #expect(try await fork.breaches(of: fork.boat).isEmpty)
        try await fork.boat.sync()
        #expect(try await fork.breaches(of: fork.boat) == [.twoHistories])
    }

    @Test func `a restore that has own later sets again is told at once as well`() async throws {
        let fork = try await Fork(track, edits: (9, 1))
        // This set says that the boat saw more than the false log has.
        try await fork.other.take(1, after: fork.common + 7, from: fork.server, in: fork.space)
        let restored = try await fork.other.copied(newEpoch: true)
        try await fork.boat.sync(over: restored.transport)
        #expect(try await fork.breaches(of: fork.boat) == [.twoHistories])
    }

    @Test(arguments: [true, false])
    func `a wiped server that becomes the earlier one again is told`(
        takesAcceptance: Bool
    ) async throws {
        let couple = try await Couple()
        let empty = try TestServer(clock: couple.server.clock)
        let deaf = DeafTransport(router: empty.router)
        try await couple.boat.sync(over: takesAcceptance ? empty.transport : deaf)
        let space = try await couple.boat.space()
        let chain = try unwrapped(try await empty.store.chain(of: space))
        #expect(chain.serverEpochs.isEmpty != takesAcceptance)
        let breaches = { try await couple.boat.replica.read { try $0.breaches.all() } }
        #expect(try await breaches().isEmpty)
        try await couple.boat.sync()
        #expect(try await breaches().map(\.kind) == [.twoHistories])
    }

    @Test func `a server that names another end of the earlier log is told`() async throws {
        let couple = try await Couple()
        let restored = try await couple.server.copied(newEpoch: true)
        let lying = LyingTransport(router: restored.router) { reply in
            guard var page = reply.page, let end = page.past.first else { return }
            page.past = [LogEnding(position: end.position, chain: Digest(of: [1]))]
            reply.page = page
        }
        try await couple.boat.sync(over: lying)
        let kinds = try await couple.boat.replica.read { try $0.breaches.all() }.map(\.kind)
        #expect(kinds == [.twoHistories])
    }

    @Test func `a server names no more earlier logs than a device takes`() async throws {
        let couple = try await Couple()
        let epochs = (1...70).map { Identifier(number: UInt128($0)) }
        let path = couple.server.folder.path + "/store.db"
        for epoch in epochs {
            try SQLiteTables(database: try Database(path: path)).beginEpoch(epoch)
        }
        let restored = try await couple.server.copied(newEpoch: true)
        try await couple.devices.settle(with: restored)
        let page = try await restored.store.page(
            of: try await couple.boat.space(),
            after: 0,
            for: nil,
            byteLimit: 1
        )
        #expect(page.past.map(\.position.epoch) == Array(epochs.reversed().prefix(Page.pastLimit)))
    }

    @Test func `a flipped bit in the last link that was merged accuses nobody`() async throws {
        let couple = try await Couple()
        try await couple.boat.replica.write {
            _ = try $0.lineage.database.run("UPDATE space SET chain = zeroblob(32)")
        }
        try await couple.devices.settle(with: couple.server)
    }

    @Test func `a flipped bit in the links of the log accuses nobody`() async throws {
        let fork = try await Fork(track, edits: (4, 0))
        try await fork.phone.sync()
        try await fork.phone.replica.write {
            _ = try $0.lineage.database.run("UPDATE log_link SET links = zeroblob(length(links))")
        }
        // Names a position that the phone merged earlier.
        let old = try await TestDevice(copyOf: fork.boat, withGuard: true)
        try await fork.phone.set("notes", "later", of: track)
        try await fork.phone.sync()
        try await old.set("sport", "sail", of: track)
        try await old.replica.write { try $0.sealer.seal(at: old.moment) }
        try await old.sync()
        try await fork.phone.sync()
        #expect(try await fork.phone.value("sport", of: track) == "sail")
        #expect(try await fork.breaches(of: fork.phone).isEmpty)
    }
}
