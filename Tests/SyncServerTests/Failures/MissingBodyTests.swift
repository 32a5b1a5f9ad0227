import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

/// A body with wrong bytes counts as missing, until a member sends the right one.
@Suite struct MissingBodyTests {
    /// Boat and phone, and a third device that has nothing yet.
    private struct Scene {
        let couple: Couple
        let fresh: TestDevice

        init() async throws {
            couple = try await Couple()
            fresh = try TestDevice("fresh", couple.server)
            try await fresh.join(try await couple.boat.link())
            try await couple.boat.set("name", "at sea", of: couple.track)
            try await couple.settle()
        }

        var devices: [TestDevice] { couple.devices + [fresh] }

        /// Flips a bit in the stored body of the set that named the track.
        func damageStore() throws {
            let database = try Database(path: couple.server.folder.path + "/store.db")
            let (position, body) = try unwrapped(
                try database.first(
                    "SELECT position, body FROM log WHERE verdict = 0 ORDER BY position DESC LIMIT 1"
                ) { ($0.unsigned(0), $0.blob(1)) }
            )
            var wrong = body
            wrong[wrong.count / 2] ^= 1
            try database.run("UPDATE log SET body = \(wrong) WHERE position = \(position)")
        }

        /// Damages the bodies of all change sets.
        func damageBodies(of server: TestServer) throws {
            try Database(path: server.folder.path + "/store.db").run(
                """
                UPDATE log SET body = zeroblob(length(body))
                WHERE verdict = 0 AND substr(upload, 1, 1) = x'd1'
                """
            )
        }
    }

    @Test func `a body that rotted at the server is missing, told, and brought by a member`()
        async throws
    {
        let scene = try await Scene()
        try scene.damageStore()
        // The server forgets what it had computed of the log, too.
        try await scene.couple.server.service.views.rebuild(scene.couple.boat.space())
        let first = try await scene.fresh.sync()
        #expect(first.end == .complete && first.missing == 1)
        #expect(try await scene.fresh.replica.read { try $0.maintenance.status() }.missing == 1)
        #expect(
            try await scene.fresh.replica.read { try $0.maintenance.verify() }.faults.count == 1
        )
        let healer = try await scene.couple.boat.sync()
        #expect(healer.end == .complete && healer.repaired == 0 && healer.mismatches == 0)
        let second = try await scene.fresh.sync()
        #expect(second.missing == 0 && second.pulled <= 1)
        #expect(try await scene.fresh.value("name", of: scene.couple.track) == "at sea")
        try await scene.devices.settle(with: scene.couple.server)
    }

    @Test func `a server that lost its master key takes the bodies of older sets back`()
        async throws
    {
        let scene = try await Scene()
        let (boat, phone) = (scene.couple.boat, scene.couple.phone)
        let server = try TestServer(clock: scene.couple.server.clock, master: 8)
        let transport = server.transport
        try await boat.enroller(transport)
            .rejoin(try await server.invite(), with: boat.replica, at: boat.moment)
        for device in [boat, phone, boat] { try await device.sync(over: transport) }
        try scene.damageBodies(of: server)
        let late = try TestDevice("late", server)
        let link = try await boat.unsentLink()
        try await boat.sync(over: transport)
        try await late.join(try await Enroller.anchored(link, for: boat.replica))
        #expect(try await late.sync().missing > 0)
        for device in [boat, phone] { try await device.sync(over: transport) }
        #expect(try await late.sync().missing == 0)
        #expect(try await late.value("name", of: scene.couple.track) == "at sea")
        #expect(try await server.findings() == [])

        // A second device offers a set that the log already has.
        let space = try await boat.space()
        let page = try await server.store.page(of: space, after: 0, for: nil, byteLimit: 1 << 20)
        let known = try page.logEntries.compactMap { entry -> PushItem? in
            guard case .set(let bytes, .accepted) = entry.content else { return nil }
            let upload = try Upload(parsing: bytes)
            let isOfOldKey = !upload.verifies(with: server.service.keys.deviceKeys(of: upload))
            return isOfOldKey && !upload.isControl ? PushItem(upload: bytes, body: entry.body) : nil
        }
        let item = try #require(known.last)
        var request = ReconcileRequest(space: space)
        request.items = [RefillItem(item: item.encoded).encoded]
        let results = try await boat.client(transport).reconcile(request).results
        #expect(results.map(\.verdict) == [.accepted])
    }

    @Test func `a body that nobody has stays missing, and nothing is fetched in vain`()
        async throws
    {
        let scene = try await Scene()
        try scene.damageStore()
        for _ in 0..<3 {
            let result = try await scene.fresh.sync()
            #expect(result.end == .complete && result.missing == 1)
            #expect(result.rounds <= 2 && result.repaired == 0 && result.mismatches == 0)
        }
    }

    /// How bytes are damaged on their way.
    enum Damage: CaseIterable {
        /// One bit of the body.
        case body
        /// The entry is no CBOR any more.
        case entry
        /// The header inside cannot be read.
        case upload
    }

    @Test(arguments: Damage.allCases)
    func `what was damaged on the way once is asked for again at once`(damage: Damage) async throws
    {
        let scene = try await Scene()
        let transport = OnceDamaging(
            router: scene.couple.server.router,
            damage: damage
        )
        let result = try await scene.fresh.sync(over: transport)
        #expect(transport.isDone.withLock { $0 })
        #expect(result.end == .complete && result.missing == 0)
        #expect(try await scene.fresh.value("name", of: scene.couple.track) == "at sea")
        try await scene.devices.settle(with: scene.couple.server)
    }

    @Test func `a reply that lacks a space is no success`() async throws {
        let scene = try await Scene()
        let router = scene.couple.server.router
        let result = try await scene.couple.boat.sync(over: Emptying(router: router))
        #expect(result.end != .complete)
    }
}

/// A network that damages the last entry of one page.
private struct OnceDamaging: Transport {
    let router: Router
    let damage: MissingBodyTests.Damage
    let isDone = Locked(false)

    init(router: Router, damage: MissingBodyTests.Damage) {
        (self.router, self.damage) = (router, damage)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = await router.respond(to: request)
        guard request.path == "/v1/sync", response.status == 200 else { return response }
        var reply = try SyncReply(decoding: response.body)
        guard let last = reply.spaces.first?.page?.entries.last,
            isDone.withLock({ done in
                defer { done = true }
                return !done
            })
        else { return response }
        let count = try unwrapped(reply.spaces[0].page?.entries.count)
        reply.spaces[0].page?.entries[count - 1] = try damaged(last)
        return HTTPResponse(200, headers: response.headers, body: reply.encoded).digested
    }

    private func damaged(_ bytes: [UInt8]) throws -> [UInt8] {
        var entry = try LogEntry(decoding: bytes[...])
        switch (damage, entry.content) {
        case (.body, _): entry.body?[0] ^= 1
        case (.upload, .set(var upload, let verdict)):
            upload[upload.count / 2] ^= 0xFF
            upload[0] = 0
            entry.content = .set(upload: upload, verdict)
        default: return [0xFF] + bytes.dropFirst()
        }
        return entry.encoded
    }
}

/// A server that answers for no space.
private struct Emptying: Transport {
    let router: Router

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = await router.respond(to: request)
        guard request.path == "/v1/sync", response.status == 200 else { return response }
        var reply = try SyncReply(decoding: response.body)
        reply.spaces = []
        return HTTPResponse(200, headers: response.headers, body: reply.encoded).digested
    }
}
