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
        try await boat.replica.write { try $0.controlSealer.add(code(), at: boat.moment) }
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
        try await image.replica.write { try $0.controlSealer.add(code(), at: image.moment) }
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

    @Test func `a link that was used is not opened again, and who used it stays in`() async throws {
        let server = try TestServer()
        let (boat, phone) = (try TestDevice("boat", server), try TestDevice("phone", server))
        try await boat.join(try await server.invite())
        try await boat.sync()
        let restored = try await server.copied(newEpoch: true)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        let link = try await boat.link()
        try await phone.join(link)
        for device in [phone, boat] { try await device.sync() }
        // An older copy of the boat's database takes the place of the link.
        try await image.replica.write { try $0.controlSealer.add(code(), at: image.moment) }
        try await image.sync(over: restored.transport)
        try await boat.sync(over: restored.transport)
        let chain = try unwrapped(try await restored.store.chain(of: try await boat.space()))
        let id = try await phone.replica.read { try $0.identity.current() }.device
        #expect(chain.cards[id]?.isLive == true)
        #expect(chain.invitations[link.secret.keys.publicKeys.invitation] == nil)
        try await [boat, phone].settle(with: restored)
    }

    @Test func `a link of a device whose newest control set was lost lets another one in`()
        async throws
    {
        let scene = try await Scene(track)
        let (boat, restored) = (scene.boat, scene.restored)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        try await boat.sync()
        try await image.replica.write { try $0.controlSealer.add(code(), at: image.moment) }
        try await image.sync(over: restored.transport)
        // The boat knows the phone's joining, and not yet that the code took its place.
        let link = try await boat.link(at: restored)
        let fresh = try TestDevice("fresh", restored)
        try await fresh.join(link)
        try await [boat, fresh].settle(with: restored)
        #expect(try await fresh.value("name", of: track) == "at sea")
    }

    @Test(arguments: [1, 3])
    func `what a device did offline is done after another one changed the members first`(
        links: Int
    ) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        var secrets: [LinkSecret] = []
        for _ in 0..<links {
            let link = try await boat.unsentLink()
            try await boat.set("name", .integer(Int64(secrets.count)), of: track)
            secrets.append(link.secret)
        }
        try await phone.replica.write { try $0.controlSealer.add(code(), at: phone.moment) }
        try await phone.sync()
        try await couple.settle()
        let chain = try unwrapped(try await couple.server.store.chain(of: try await boat.space()))
        #expect(chain.hasRecoveryCode)
        for secret in secrets {
            let invitation = chain.invitations[secret.keys.publicKeys.invitation]
            #expect(invitation?.isOpen == true)
        }
        #expect(try await phone.value("name", of: track) == .integer(Int64(links - 1)))
    }

    @Test func `a device vouches for no set that it never merged`() async throws {
        let couple = try await Couple()
        let (boat, phone, server) = (couple.boat, couple.phone, couple.server)
        let laptop = try TestDevice("laptop", server)
        try await laptop.join(try await boat.link())
        try await laptop.sync()
        let other = try await server.copied(newEpoch: true)
        try await boat.revoke(phone)
        try await laptop.sync()
        let later = try await server.copied(newEpoch: true)
        // The phone is revoked for the laptop, and not yet for this server.
        try await phone.set("name", "stolen", of: track)
        try await phone.sync(over: other.transport)
        try await laptop.sync(over: NoRefillTransport(router: other.router))
        #expect(try await laptop.value("name", of: track) == nil)
        #expect(try await laptop.replica.read { try $0.maintenance.status() }.pending == 1)
        // Here it is revoked, and the laptop brings what it knows.
        try await [laptop, boat].settle(with: later)
        for device in [laptop, boat] {
            #expect(try await device.value("name", of: track) == nil)
        }
    }

    @Test func `a device does not sign a set that it did not seal`() async throws {
        let couple = try await Couple()
        let (boat, server) = (couple.boat, couple.server)
        let image = try await TestDevice(copyOf: boat, withGuard: false)
        try await image.set("name", "by another database", of: track)
        try await image.sync()
        let space = try await boat.space()
        let page = try await server.store.page(of: space, after: 0, for: nil, byteLimit: .max)
        let last = try LogEntry(decoding: try unwrapped(page.entries.last)[...])
        guard case .set(let bytes, .accepted) = last.content else { throw CancellationError() }
        let upload = try Upload(parsing: bytes)
        try await boat.sync(over: server.altering { _ in nil })
        #expect(try await boat.value("name", of: track) == "by another database")
        let signature = try await boat.replica.read {
            try $0.signedHeads.signature(over: upload, in: try $0.spaces.number(ofSpace: space))
        }
        let me = try await boat.replica.read { try $0.identity.current() }.device
        #expect(upload.header.device == me && signature == nil)
    }

    @Test func `a revocation that the server lost is made again`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        let restored = try await couple.server.copied(newEpoch: true)
        try await phone.set("sport", "sail", of: track)
        try await phone.sync()
        try await boat.revoke(phone)
        // An older copy of the boat's database takes the place of the revocation.
        try await image.replica.write { try $0.controlSealer.add(code(), at: image.moment) }
        try await image.sync(over: restored.transport)
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
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await phone.set("sport", "sail", of: track)
        // The phone's own setting, which other devices of its user may write again.
        let setting = Key("setting", .device(id), "metric")
        try await phone.replica.write {
            let own = try $0.spaces.own()
            try $0.rows.write([Edit(setting, .bool(false))], in: own, at: phone.moment)
        }
        try await phone.sync()
        try await laptop.sync()
        // The boat never saw the phone's last change, so its cut lies before it.
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment) }
        try await boat.sync(over: restored.transport)
        #expect(try await boat.value("sport", of: track) == nil)
        try await [laptop, boat].settle(with: restored)
        for device in [boat, laptop] {
            #expect(try await device.value("sport", of: track) == "sail")
            let cells = try await device.replica.read {
                try $0.rows.cells(setting.collection, setting.row, in: $0.spaces.own())
            }
            #expect(cells[setting.field]?.value == .bool(false))
        }
        #expect(try await laptop.replica.read { try $0.events.last(.leftOut) } == nil)
    }

    @Test func `a set that was sealed in another epoch is not taken`() async throws {
        let couple = try await Couple()
        let boat = couple.boat
        // Lost nothing, so that the set would follow on the head of its replica.
        let restored = try await couple.server.copied(newEpoch: true)
        try await boat.set("name", "unsent", of: track)
        let reply = try await boat.push(to: restored)
        #expect(reply.problem == ProblemType.cursorReset.rawValue)
        #expect(reply.results.isEmpty)
        try await [boat, couple.phone].settle(with: restored)
        #expect(try await couple.phone.value("name", of: track) == "unsent")
    }

    @Test func `a set whose author saw another log of the epoch is not taken`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        // Put back without a word, and as long again as it was by another change of the phone.
        let restored = try await couple.server.copied(newEpoch: false)
        let image = try await TestDevice(copyOf: phone, withGuard: true)
        try await phone.set("sport", "sail", of: track)
        try await phone.sync()
        try await boat.sync()
        try await image.set("sport", "row", of: track)
        try await image.sync(over: restored.transport)
        try await boat.set("name", "unsent", of: track)
        let reply = try await boat.push(to: restored)
        #expect(reply.problem == nil)
        #expect(reply.results == [.failed(problem: "cursor-reset", sequence: 0)])
    }

    @Test func `a set that an older log does not take is sent again, and no fault is told`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        let old = try await couple.server.copied(newEpoch: false)
        try await boat.set("name", "lost by the server", of: track)
        try await boat.sync()
        try await boat.set("sport", "sail", of: track)
        let result = try await boat.sync(over: old.transport)
        #expect(result.rebased == 1 && result.problems == [] && result.end == .complete)
        try await couple.phone.sync(over: old.transport)
        #expect(try await couple.phone.value("sport", of: track) == "sail")
    }

    @Test func `nothing is pushed before something of a new log is merged`() async throws {
        let couple = try await Couple()
        let (boat, server) = (couple.boat, couple.server)
        let space = try await boat.space()
        let now = boat.moment.wall
        try await boat.replica.write { try $0.rebase.startOver(space, at: now) }
        try await boat.set("name", "unsent", of: track)
        let transport = RecordingTransport(router: server.router)
        try await boat.sync(over: transport)
        let requests = transport.requests.withLock { $0 }.flatMap(\.spaces)
        #expect(requests.first?.cursor.position == 0)
        #expect(requests.first?.items.isEmpty == true)
        try await couple.settle()
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

    @Test func `a control set that is not sent yet covers no set of the log`() async throws {
        let boat = try await Couple().boat
        try await boat.set("name", "signed", of: track)
        try await boat.sync()
        _ = try await boat.unsentLink()
        let space = try await boat.space()
        try await boat.replica.write {
            let number = try $0.spaces.number(ofSpace: space)
            let newest = try $0.lineage.database.first(
                "SELECT upload FROM sealed WHERE own = 1 AND control IS NULL ORDER BY sequence DESC"
            ) { try Upload(parsing: $0.blob(0)) }
            let now = boat.moment.wall
            try $0.unsignedHeads.judge([try unwrapped(newest)], in: number, isAtHead: true, at: now)
        }
        #expect(try await boat.replica.read { try $0.backfill.hasOrphans(in: space) })
    }

    @Test func `a link that is made offline after a revocation opens the new key epoch`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone, server) = (couple.boat, couple.phone, couple.server)
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment) }
        let laptop = try TestDevice("laptop", server)
        try await laptop.join(try await boat.link())
        try await [boat, laptop].settle(with: server)
        let keys = try await laptop.replica.read { try $0.spaces.keys(of: $0.spaces.own()) }
        #expect(keys.epoch == 2)
    }
}

extension TestDevice {
    /// Seals its changes, and pushes them to a server in one request.
    fileprivate func push(to server: TestServer) async throws -> SyncReply.SpaceReply {
        try await replica.write { try $0.sealer.seal(at: moment) }
        let transport = RecordingTransport(router: server.router)
        _ = try await client(transport).sync(try await pending())
        return try unwrapped(transport.replies.withLock { $0 }.last?.spaces.first)
    }

    private func pending() async throws -> SyncRequest {
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

/// A network that fails before anything is brought back to the server.
private struct NoRefillTransport: Transport {
    let router: Router

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.path != "/v1/reconcile" else {
            throw TransportError.timedOut(authority: "test:1")
        }
        return await router.respond(to: request)
    }
}
