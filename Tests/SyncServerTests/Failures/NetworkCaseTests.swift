import Harness
import SyncCore
import Testing

@testable import SyncServer

/// A network that repeats, refuses, breaks off and lies.
@Suite(.hangLimit) struct NetworkCaseTests {
    /// Delivers every request twice, and every earlier one once more before it.
    private struct RepeatingTransport: Transport {
        let router: Router
        let earlier = Locked<[HTTPRequest]>([])

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            for old in earlier.withLock({ $0 }) { _ = await router.respond(to: old) }
            _ = await router.respond(to: request)
            earlier.withLock { $0.insert(request, at: 0) }
            return await router.respond(to: request)
        }
    }

    @Test func `N2 requests that come twice, late and in another order do no harm`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let before = try await couple.head()
        let network = RepeatingTransport(router: couple.server.router)
        for round in 0..<4 {
            for (device, field) in [(boat, "name"), (phone, "notes")] {
                try await device.set(Text(field), .text(Text("\(round)")), of: couple.track)
                #expect(try await device.sync(over: network).end == .complete)
            }
        }
        #expect(try await couple.head() == before + 8)
        try await couple.settle()
        #expect(try await boat.value("notes", of: couple.track) == .text("3"))
        #expect(try await phone.value("name", of: couple.track) == .text("3"))
    }

    /// Flips one bit of the body of each reply, somewhere else each time.
    private struct FlippingTransport: Transport {
        let router: Router
        let bit = Locked(0)

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            var response = await router.respond(to: request)
            guard !response.body.isEmpty else { return response }
            let place = bit.withLock { bit in
                bit += 7919
                return bit % (response.body.count * 8)
            }
            response.body[place / 8] ^= 1 << (place % 8)
            return response
        }
    }

    @Test func `nothing is taken from a reply with a flipped bit`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let network = FlippingTransport(router: couple.server.router)
        for round in 0..<40 {
            try await boat.set("name", .text(Text("\(round)")), of: couple.track)
            try await boat.sync()
            try await phone.set("notes", .text(Text("\(round)")), of: couple.track)
            guard case .busy(let refusal) = try await phone.sync(over: network).end else {
                Issue.record("a damaged reply was taken")
                return
            }
            #expect(refusal.detail.contains("damaged on its way"))
        }
        try await couple.settle()
        #expect(try await boat.value("notes", of: couple.track) == .text("39"))
        #expect(try await phone.value("name", of: couple.track) == .text("39"))
    }

    @Test(
        arguments: [
            HTTPResponse(200, body: Array("<html>log in</html>".utf8)), HTTPResponse(200),
            HTTPResponse(302, headers: ["location": "http://login/"]), HTTPResponse(429),
            HTTPResponse(500), HTTPResponse(502, body: Array("bad gateway".utf8)),
            HTTPResponse(511, body: Array("<html>log in</html>".utf8)),
            Problem(.rateLimited, "slower").response(instance: "a"),
            Problem(.unavailable, "starting").response(instance: "a"),
        ]
    )
    func `N4 what is no answer is waited out, and the queue stays`(
        answer: HTTPResponse
    ) async throws {
        let couple = try await Couple()
        let boat = couple.boat
        try await boat.set("name", .text("kept"), of: couple.track)
        let asked = Locked(0)
        var portal = RouterTransport(router: couple.server.router)
        portal.after = { _, _ in
            asked.withLock { $0 += 1 }
            return answer
        }
        let result = try await boat.sync(over: portal)
        guard case .busy = result.end else {
            Issue.record("\(result.end)")
            return
        }
        #expect(asked.withLock { $0 } == 4)
        let status = try await boat.replica.read { try $0.maintenance.status() }
        #expect(status.queued == 1 && !status.isSent)
        try await couple.settle()
        #expect(try await couple.phone.value("name", of: couple.track) == .text("kept"))
    }

    @Test(arguments: [-6 * 3_600_000, 6 * 3_600_000] as [Int64])
    func `N5 a signature out of its time is made anew, and the queue stays`(
        offset: Int64
    ) async throws {
        let couple = try await Couple()
        let boat = couple.boat
        try await boat.set("name", .text("kept"), of: couple.track)
        // After a restart with a wrong clock nothing is known of the time.
        boat.offset.withLock { $0 = offset }
        let old = ClockAnchor(bootMilliseconds: 0, boot: Identifier(number: 99))
        try await boat.replica.write { try $0.clockPeriods.learn(old) }
        let refused = Locked(0)
        var network = RouterTransport(router: couple.server.router)
        network.after = { _, response in
            if response.isProblem(.clockSkew) { refused.withLock { $0 += 1 } }
            return response
        }
        #expect(try await boat.sync(over: network).end == .complete)
        #expect(refused.withLock { $0 } == 1)
        try await couple.settle()
        #expect(try await couple.phone.value("name", of: couple.track) == .text("kept"))
    }

    @Test func `N6 what is too much for one request is cut between its sets`() async throws {
        let couple = try await Couple()
        let boat = couple.boat
        let space = try await boat.space()
        let count = 80
        for number in 0..<count {
            let bytes = TestDevice.noise(120_000, seed: UInt64(number))
            let key = Key("attachment", .id(Identifier(number: UInt128(number))), "content")
            try await boat.replica.write {
                try $0.rows.write(
                    [Edit(key, .bytes(bytes))],
                    in: space,
                    at: boat.moment
                )
            }
        }
        let sizes = Locked<[Int]>([])
        var network = RouterTransport(router: couple.server.router)
        network.before = { request in
            if request.path == "/v1/sync" { sizes.withLock { $0.append(request.body.count) } }
        }
        #expect(try await boat.sync(over: network).end == .complete)
        let sent = sizes.withLock { $0 }
        #expect(sent.allSatisfy { $0 <= SyncCore.Limits.requestByteLimit })
        #expect(sent.reduce(0, +) > SyncCore.Limits.requestByteLimit && sent.count > 1)
        try await couple.settle()
        let rows = try await couple.phone.replica.read { try $0.rows.list("attachment", in: space) }
        #expect(rows.count == count)
        // One value too large is refused where it is written.
        let key = Key("attachment", .id(.zero), "content")
        let tooLarge = Edit(key, .bytes([UInt8](repeating: 1, count: 128 << 10)))
        await #expect(throws: ReplicaError.self) {
            try await boat.replica.write {
                try $0.rows.write([tooLarge], in: space, at: boat.moment)
            }
        }
        #expect(try await boat.replica.read { try $0.maintenance.status() }.unsealed == 0)
    }

    @Test(arguments: Rounds.seeds(1))
    func `N7 a first sync that breaks off anywhere goes on from there`(seed: UInt64) async throws {
        let couple = try await Couple()
        let boat = couple.boat
        var random = SplitMix64(seed: seed)
        for name in 0..<6 { try await boat.record(name, samples: 600) }
        try await couple.settle()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await boat.link())
        let arrived = Locked<[String]>([])
        var (syncs, position, missing) = (0, UInt64(0), Int.max)
        var isComplete = false
        while !isComplete, syncs < 200 {
            syncs += 1
            let network = CuttingTransport(
                router: couple.server.router,
                budget: Locked(Int.random(in: 0..<9000, using: &random)),
                arrived: arrived
            )
            isComplete = try await fresh.sync(over: network).end == .complete
            let space = try #require(try await fresh.replica.read { try $0.spaces.all() }.first)
            let wanted = try await fresh.replica.read { try $0.chunks.wantedCount() }
            #expect(space.merged.position >= position)
            if position > 0 { #expect(wanted <= missing) }
            (position, missing) = (space.merged.position, wanted)
        }
        #expect(isComplete && syncs > 3)
        // Nothing that arrived whole was asked for again.
        let chunks = arrived.withLock { $0.filter { $0.contains("/chunks/") } }
        #expect(chunks.count >= 6 && Set(chunks).count == chunks.count)
        try await boat.sync()
        #expect(try await fresh.fingerprint() == boat.fingerprint())
        #expect(try await fresh.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `N11 a server without room for more is still read`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await phone.set("notes", .text("from the phone"), of: couple.track)
        try await phone.sync()
        try await couple.server.store.limit(pagesAbovePresent: 0)
        let bytes = TestDevice.noise(100_000, seed: 1)
        try await boat.set("attachment", .bytes(bytes), of: couple.track)
        for _ in 0..<3 {
            let result = try await boat.sync()
            #expect(result.problems == ["storage-full"])
            #expect(try await boat.value("notes", of: couple.track) == .text("from the phone"))
        }
        #expect(try await !boat.replica.read { try $0.maintenance.status() }.isSent)
        try await couple.server.store.limit(pagesAbovePresent: 1_000_000)
        try await couple.settle()
        #expect(try await phone.value("attachment", of: couple.track) == .bytes(bytes))
    }

    @Test func `N11 a server that gives no page still takes what is pushed`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", .text("pushed"), of: couple.track)
        let mute = LyingTransport(router: couple.server.router) { reply in
            (reply.page, reply.problem) = (nil, ProblemType.internal.rawValue)
        }
        let result = try await boat.sync(over: mute)
        #expect(result.problems == ["internal"] && result.pushed == 1)
        try await phone.sync()
        #expect(try await phone.value("name", of: couple.track) == .text("pushed"))
        try await couple.settle()
    }
}

extension TestDevice {
    /// Bytes that no compression makes small.
    static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
