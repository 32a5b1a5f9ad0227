import SyncCore
import Testing

@testable import SyncServer

/// Two devices of one person and a server: from the first write to equal fingerprints.
@Suite struct WholePathTests {
    /// Two joined devices; the first recorded before it joined.
    private func pair() async throws -> (boat: TestDevice, phone: TestDevice) {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        let phone = try TestDevice("phone", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        try await phone.join(try await boat.link())
        try await phone.sync()
        return (boat, phone)
    }

    private let track = Identifier(number: 42)

    @Test func `different fields survive and the same field has one winner`() async throws {
        let (boat, phone) = try await pair()
        try await boat.set("name", .text("boat's"), of: track)
        try await boat.set("notes", .text("from the boat"), of: track)
        boat.server.clock.advance(by: 10)
        try await phone.set("name", .text("phone's"), of: track)
        try await phone.set("sport", .text("sailing"), of: track)
        let first = try await boat.sync()
        #expect(first.end == .complete)
        #expect(first.pushed == 1)
        try await phone.sync()
        try await boat.sync()
        for device in [boat, phone] {
            #expect(try await device.value("name", of: track) == .text("phone's"))
            #expect(try await device.value("notes", of: track) == .text("from the boat"))
            #expect(try await device.value("sport", of: track) == .text("sailing"))
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults.isEmpty)
            let history = try await device.replica.read {
                try $0.history.entries(
                    of: "track",
                    .id(track),
                    in: try $0.spaces.own()
                )
            }
            #expect(history.filter { !$0.isWinner }.map(\.change.cell.value) == [.text("boat's")])
        }
        #expect(try await boat.fingerprint() == phone.fingerprint())
        #expect(try await boat.replica.read { try $0.maintenance.status() }.isSent)
    }

    @Test func `nothing new is one round trip below 1 KB`() async throws {
        let (boat, _) = try await pair()
        try await boat.sync()
        let bytes = Locked(0)
        let transport = RouterTransport(
            router: boat.server.router,
            after: { request, response in
                bytes.withLock { $0 += request.body.count + response.body.count }
                return response
            }
        )
        let result = try await boat.sync(over: transport)
        #expect(result.rounds == 1)
        #expect(result.end == .complete)
        #expect(bytes.withLock { $0 } < 1024)
    }

    @Test func `points recorded before joining reach the other device bit for bit`() async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        let space = try await boat.space()
        let now = boat.moment
        var recording = try await boat.replica.write {
            try $0.recordings.start(
                name: "Out",
                sport: "sailing",
                in: space,
                at: now
            )
        }
        let samples = (0..<5000).map { second in
            var sample = Sample(
                time: UnixTime(milliseconds: now.wall.milliseconds + Int64(second) * 1000)
            )
            sample[.latitude] = 52.5 + Double(second) * 1e-5
            sample[.longitude] = 5.1 + Double(second % 100) * 1e-5
            return sample
        }
        for start in stride(from: 0, to: samples.count, by: 700) {
            let batch = Array(samples[start..<min(start + 700, samples.count)])
            recording = try await boat.replica.write { [recording] in
                try $0.recordings.append(batch, to: recording, at: now)
            }
        }
        try await boat.replica.write { [recording] in try $0.recordings.stop(recording, at: now) }
        try await boat.join(try await server.invite())
        try await boat.sync()
        let phone = try TestDevice("phone", server)
        let own = try await phone.space()
        try await phone.replica.write {
            try $0.rows.write(
                [Edit(Key("track", .id(track), "name"), .text("phone's own"))],
                in: own,
                at: now
            )
        }
        try await phone.join(try await boat.link())
        let result = try await phone.sync()
        #expect(result.chunks >= 2)
        try await boat.sync()
        #expect(try await phone.samples(of: recording.track) == Samples(samples))
        #expect(try await boat.value("name", of: track) == .text("phone's own"))
        #expect(try await boat.fingerprint() == phone.fingerprint())
        let listed = try await phone.replica.read { [recording] in
            try $0.tracks.find(recording.track, in: try $0.spaces.own())
        }
        let known = try await boat.replica.read { [recording] in
            try $0.tracks.find(recording.track, in: try $0.spaces.own())
        }
        #expect(listed == known)
        #expect(listed?.missingChunkCount == 0)
    }

    @Test func `N1 a lost answer is asked for again and nothing is doubled`() async throws {
        let (boat, phone) = try await pair()
        try await boat.set("name", .text("once"), of: track)
        let failures = Locked(1)
        let transport = RouterTransport(
            router: boat.server.router,
            after: { request, response in
                let fails = failures.withLock { count in
                    count -= 1
                    return count >= 0
                }
                if fails { throw TransportError.timedOut(authority: "test:1") }
                return response
            }
        )
        let result = try await boat.sync(over: transport)
        #expect(result.end == .complete)
        try await phone.sync()
        #expect(try await phone.value("name", of: track) == .text("once"))
        #expect(try await boat.fingerprint() == phone.fingerprint())
    }

    @Test(arguments: [true, false])
    func `I8 two syncs of one device at once do not disturb each other`(
        hasNews: Bool
    ) async throws {
        let (boat, phone) = try await pair()
        try await boat.set("name", .text("first"), of: track)
        if hasNews {
            try await phone.set("notes", .text("news"), of: track)
            try await phone.sync()
        }
        let other = SyncingMeanwhile(device: boat, once: Locked(true))
        let result = try await boat.sync(over: other)
        #expect(result.end == .complete)
        #expect(result.problems.isEmpty)
        try await phone.sync()
        #expect(try await boat.replica.read { try $0.maintenance.status() }.isSent)
        #expect(try await boat.fingerprint() == phone.fingerprint())
        #expect(try await boat.replica.read { try $0.maintenance.verify() }.faults.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a copy of a device that is used too heals and loses nothing`(
        withGuard: Bool
    ) async throws {
        let (boat, phone) = try await pair()
        let clone = try await TestDevice(copyOf: boat, withGuard: withGuard)
        for (number, device) in [boat, clone].enumerated() {
            try await device.set("name", .text(Text("by \(number)")), of: track)
            try await device.set(Text("only \(number)"), .integer(1), of: track)
            try await device.sync()
        }
        try await clone.set("notes", .text("clone again"), of: track)
        for device in [clone, boat, phone, clone, boat, phone] { try await device.sync() }
        for device in [boat, clone, phone] {
            #expect(try await device.value("only 0", of: track) == .integer(1))
            #expect(try await device.value("only 1", of: track) == .integer(1))
            #expect(try await device.value("notes", of: track) == .text("clone again"))
            #expect(try await device.fingerprint() == phone.fingerprint())
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
            #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
        }
    }

    @Test func `an old copy put back heals and keeps what was written on it`() async throws {
        let (boat, phone) = try await pair()
        let old = try await TestDevice(copyOf: boat, withGuard: true)
        try await boat.set("name", .text("later"), of: track)
        try await boat.sync()
        try await boat.set("notes", .text("latest"), of: track)
        try await boat.sync()
        try await old.set("sport", .text("on the old copy"), of: track)
        try await old.sync()
        try await phone.sync()
        for device in [old, phone] {
            #expect(try await device.value("name", of: track) == .text("later"))
            #expect(try await device.value("notes", of: track) == .text("latest"))
            #expect(try await device.value("sport", of: track) == .text("on the old copy"))
        }
        #expect(try await old.fingerprint() == phone.fingerprint())
    }

    @Test(arguments: [true, false])
    func `a copy from before it joined becomes a device of its own`(
        isSamePerson: Bool
    ) async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        try await boat.set("name", .text("before"), of: track)
        let copy = try await TestDevice(copyOf: boat, withGuard: true)
        try await boat.join(try await server.invite())
        try await boat.sync()
        try await copy.set("notes", .text("on the copy"), of: track)
        try await copy.join(try await isSamePerson ? boat.link() : server.invite())
        #expect(try await copy.sync().end == .complete)
        #expect(try await boat.sync().end == .complete)
        let (one, two) = try await (
            boat.replica.read { try $0.identity.current() },
            copy.replica.read { try $0.identity.current() }
        )
        #expect(one.device != two.device && one.replica != two.replica)
        #expect(one.keys != two.keys)
        #expect(try await copy.value("name", of: track) == .text("before"))
        #expect(try await copy.value("notes", of: track) == .text("on the copy"))
        #expect(try await copy.replica.read { try $0.maintenance.status() }.isSent)
        #expect(try await (boat.space() == copy.space()) == isSamePerson)
        guard isSamePerson else { return }
        #expect(try await boat.value("notes", of: track) == .text("on the copy"))
        #expect(try await boat.fingerprint() == copy.fingerprint())
    }

    @Test(arguments: [3_600_000, 315_360_000_000, -1_777_000_000_000] as [Int64])
    func `C1 C2 C3 a wrong clock locks nobody out`(offset: Int64) async throws {
        let (boat, phone) = try await pair()
        boat.offset.withLock { $0 = offset }
        try await boat.set("name", .text("wrong clock"), of: track)
        try await boat.sync()
        #expect(try await boat.replica.read { try $0.maintenance.status() }.isSent)
        boat.server.clock.advance(by: 60_000)
        try await phone.sync()
        #expect(try await phone.value("name", of: track) == .text("wrong clock"))
        try await phone.set("name", .text("right clock"), of: track)
        try await phone.sync()
        try await boat.sync()
        #expect(try await boat.value("name", of: track) == .text("right clock"))
        #expect(try await boat.fingerprint() == phone.fingerprint())
    }

    @Test func `a revoked device is shut out and keeps its work`() async throws {
        let (boat, phone) = try await pair()
        try await boat.revoke(phone)
        try await phone.set("name", .text("kept"), of: track)
        let result = try await phone.sync()
        guard case .refused(let refusal) = result.end else {
            Issue.record("\(result.end)")
            return
        }
        #expect(refusal.type == .unauthorized)
        #expect(try await phone.value("name", of: track) == .text("kept"))
    }

    @Test func `a link lets one device in`() async throws {
        let (boat, _) = try await pair()
        let link = try await boat.link()
        try await TestDevice("second", boat.server).join(link)
        let third = try TestDevice("third", boat.server)
        await #expect(throws: ServerProblem.self) { try await third.join(link) }
    }
}

/// Lets the device edit and sync elsewhere while a reply is on its way.
private struct SyncingMeanwhile: Transport {
    let device: TestDevice
    let once: Locked<Bool>

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = await device.server.router.respond(to: request)
        let isFirst = once.withLock { once in
            defer { once = false }
            return once
        }
        if isFirst {
            try await device.set("sport", .text("meanwhile"), of: Identifier(number: 42))
            try await device.sync()
        }
        return response
    }
}

extension TestDevice {
    func samples(of track: Identifier) async throws -> Samples {
        try await replica.read { try $0.tracks.samples(of: track, in: try $0.spaces.own()) }
    }
}
