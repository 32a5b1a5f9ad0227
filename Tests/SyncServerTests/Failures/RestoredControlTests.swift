@testable import SyncCore
import Testing

@testable import SyncServer

/// A server that was put back to before a change of devices or keys, and took another one since.
@Suite struct RestoredControlTests {
    private let track = Identifier(number: 42)

    /// Two devices: the second joined, and changed something, after the copy of the server was made.
    private struct Scene {
        let server: TestServer
        let boat: TestDevice
        let phone: TestDevice
        let restored: TestServer

        init(_ track: Identifier) async throws {
            server = try TestServer()
            boat = try TestDevice("boat", server)
            phone = try TestDevice("phone", server)
            try await boat.join(try await server.invite())
            try await boat.set("name", "at sea", of: track)
            try await boat.sync()
            let link = try await boat.link()
            restored = try await server.copied(newEpoch: true)
            try await phone.join(link)
            try await phone.sync()
            try await phone.set("sport", "sail", of: track)
            try await phone.sync()
        }
    }

    private func code() -> RecoveryCode {
        var random = SplitMix64(seed: 1)
        return RecoveryCode(using: &random)
    }

    @Test func `a device whose joining was lost joins again by its link, with all its changes`()
        async throws
    {
        let scene = try await Scene(track)
        let (boat, phone, restored) = (scene.boat, scene.phone, scene.restored)
        // Takes the place of the control set that let the phone in.
        try await boat.replica.write { try $0.controlSealer.add(code(), at: boat.moment.wall) }
        try await boat.sync(over: restored.transport)
        let before = try await phone.replica.read { try $0.identity.current() }.device
        try await [boat, phone].settle(with: restored)
        #expect(try await phone.replica.read { try $0.identity.current() }.device == before)
        for device in [boat, phone] {
            #expect(try await device.value("name", of: track) == "at sea")
            #expect(try await device.value("sport", of: track) == "sail")
            #expect(try await device.replica.read { try $0.breaches.all() }.isEmpty)
        }
    }

    @Test func `a device that saw another one join vouches for it after the server lost that`()
        async throws
    {
        let scene = try await Scene(track)
        let (boat, phone, restored) = (scene.boat, scene.phone, scene.restored)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        try await boat.sync()
        // An older copy of the boat's database does not know of the phone.
        try await image.replica.write { try $0.controlSealer.add(code(), at: image.moment.wall) }
        try await image.sync(over: restored.transport)
        try await boat.sync(over: restored.transport)
        let space = try await boat.space()
        let id = try await phone.replica.read { try $0.identity.current() }.device
        let chain = try unwrapped(try await restored.store.chain(of: space))
        #expect(chain.cards[id]?.isLive == true)
        #expect(chain.hasRecoveryCode)
        try await [boat, phone].settle(with: restored)
        #expect(try await boat.value("sport", of: track) == "sail")
    }

    @Test func `a revocation that the server lost is made again`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let restored = try await couple.server.copied(newEpoch: true)
        try await phone.set("sport", "sail", of: track)
        try await phone.sync()
        try await boat.revoke(phone)
        // The phone, which is live again on that server, takes the place of the revocation.
        try await phone.replica.write { try $0.controlSealer.add(code(), at: phone.moment.wall) }
        try await phone.sync(over: restored.transport)
        for _ in 0..<3 { try await boat.sync(over: restored.transport) }
        let id = try await phone.replica.read { try $0.identity.current() }.device
        let chain = try unwrapped(try await restored.store.chain(of: try await boat.space()))
        #expect(chain.cards[id]?.isLive == false)
        #expect(chain.hasRecoveryCode && !chain.needsEpoch)
        try await [boat].settle(with: restored)
        #expect(try await boat.value("sport", of: track) == "sail")
    }

    @Test func `what a revoked device wrote before counts though the server lost it`() async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let laptop = try TestDevice("laptop", couple.server)
        try await laptop.join(try await boat.link())
        try await laptop.sync()
        let restored = try await couple.server.copied(newEpoch: true)
        try await phone.set("sport", "sail", of: track)
        try await phone.sync()
        try await laptop.sync()
        // The boat never saw the phone's last change, so its cut lies before it.
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment.wall) }
        try await boat.sync(over: restored.transport)
        #expect(try await boat.value("sport", of: track) == nil)
        try await [laptop, boat].settle(with: restored)
        for device in [boat, laptop] {
            #expect(try await device.value("sport", of: track) == "sail")
        }
    }

    @Test func `sets of another history are not taken`() async throws {
        let couple = try await Couple()
        let (boat, server) = (couple.boat, couple.server)
        for isTold in [true, false] {
            let restored = try await server.copied(newEpoch: isTold)
            try await boat.set("name", .text(isTold ? "one" : "two"), of: track)
            try await boat.sync()
            // As the boat's next set, but the server lost the one before it.
            try await boat.set("notes", .text(isTold ? "three" : "four"), of: track)
            try await boat.replica.write { try $0.sealer.seal(at: boat.moment) }
            let request = try await boat.pending()
            let transport = RecordingTransport(router: restored.router)
            _ = try await boat.client(transport).sync(request)
            let reply = try unwrapped(transport.replies.withLock { $0 }.last?.spaces.first)
            #expect(reply.problem == ProblemType.cursorReset.rawValue)
            #expect(reply.results.allSatisfy { $0.verdict == nil })
            try await boat.sync()
        }
    }

    @Test func `nothing is pushed before something of a new log is merged`() async throws {
        let couple = try await Couple()
        let boat = couple.boat
        let restored = try await couple.server.copied(newEpoch: true)
        try await boat.set("name", "unsent", of: track)
        let transport = RecordingTransport(router: restored.router)
        try await boat.sync(over: transport)
        let requests = transport.requests.withLock { $0 }.flatMap(\.spaces)
        #expect(requests.contains { $0.cursor.position == 0 })
        for request in requests where request.cursor.position == 0 {
            #expect(request.items.isEmpty)
        }
        try await [boat, couple.phone].settle(with: restored)
        #expect(try await couple.phone.value("name", of: track) == "unsent")
    }

    @Test func `a signature that a refilled server lacks is brought by its device`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", "signed", of: track)
        try await boat.sync()
        let restored = try await couple.server.copied(newEpoch: true)
        // As after a refill by somebody who knows the signature over a later set alone.
        try Database(path: restored.folder.path + "/store.db")
            .run("UPDATE replica_head SET signature = NULL")
        let space = try await boat.space()
        try await boat.sync(over: restored.transport)
        let page = try await restored.store.page(of: space, after: 0, for: nil, byteLimit: .max)
        let last = try page.entries.map { try LogEntry(decoding: $0[...]) }.last { entry in
            guard case .set(let bytes, .accepted) = entry.content else { return false }
            return (try? Upload(parsing: bytes).isControl) == false
        }
        #expect(last?.headSignature != nil)
        try await [boat, phone].settle(with: restored)
    }

    @Test func `a link that is made offline after a revocation opens the new key epoch`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone, server) = (couple.boat, couple.phone, couple.server)
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment.wall) }
        let laptop = try TestDevice("laptop", server)
        try await laptop.join(try await boat.link())
        try await [boat, laptop].settle(with: server)
        let keys = try await laptop.replica.read { try $0.spaces.keys(of: $0.spaces.own()) }
        #expect(keys.epoch == 2)
    }
}

extension TestDevice {
    /// The request by which it pushes what it has sealed.
    fileprivate func pending() async throws -> SyncRequest {
        try await replica.read { parts in
            let space = try unwrapped(try parts.spaces.all().first)
            var room = RequestRoom(bytes: 1 << 20)
            return SyncRequest(spaces: [
                SyncRequest.SpaceRequest(
                    space: space.id,
                    replica: try parts.identity.current().replica,
                    cursor: space.merged,
                    items: try parts.queue.items(of: space.id, into: &room)
                )
            ])
        }
    }
}

/// Keeps the syncs and their replies.
private struct RecordingTransport: Transport {
    let router: Router
    let requests = Locked<[SyncRequest]>([])
    let replies = Locked<[SyncReply]>([])

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = await router.respond(to: request)
        if request.path == "/v1/sync", response.status == 200 {
            let reply = try SyncReply(decoding: response.body)
            let sent = try SyncRequest(decoding: request.body)
            requests.withLock { $0.append(sent) }
            replies.withLock { $0.append(reply) }
        }
        return response
    }
}
