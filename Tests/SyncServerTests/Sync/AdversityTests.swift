import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

/// Clocks that are wrong, answers that are hostile, links that are old.
@Suite struct AdversityTests {
    private let track = Identifier(number: 42)

    /// A header under both MACs, whatever it says.
    private func upload(
        _ header: Header,
        _ spaceKeys: SpaceKeys,
        _ deviceKeys: DeviceKeys
    ) throws -> [UInt8] {
        let inner = Envelope.seal(
            header.encoded,
            with: try unwrapped(spaceKeys.macKey(epoch: 1)),
            epoch: 1,
            for: .space
        )
        return Envelope.seal(
            inner,
            with: try unwrapped(deviceKeys.macKey(epoch: 1)),
            epoch: 1,
            for: .device
        )
    }

    @Test func `a link that was used and has expired gives no key away`() async throws {
        let server = try TestServer()
        let ann = try TestDevice("ann", server)
        try await ann.join(try await server.invite())
        try await ann.sync()
        let link = try await ann.link()
        let phone = try TestDevice("phone", server)
        // A stranger who has the link and knows a device's id from a header or a list.
        let anns = try await ann.replica.read { try $0.identity.current() }.device
        let early = try await reply(to: link, for: anns, of: server)
        #expect(early.status == 200)
        #expect(try EnrolReply(decoding: early.body).key == nil)
        try await phone.join(link)
        try await phone.sync()
        let phones = try await phone.replica.read { try $0.identity.current() }.device
        #expect(try await reply(to: link, for: phones, of: server).isProblem(.unauthorized))
        server.clock.advance(by: 30 * 24 * 3_600_000)
        #expect(try await reply(to: link, for: phones, of: server).isProblem(.unauthorized))
    }

    @Test func `an enrolment that is sent again gets nothing`() async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        let link = try await boat.link()
        let request = try await question(by: link, for: Identifier(number: 1), to: server)
        #expect(await enrol(request, at: server).status == 200)
        let again = await enrol(request, at: server)
        #expect(again.isProblem(.unauthorized) && !again.body.isEmpty)
        // The link is as good as before.
        #expect(try await reply(to: link, for: Identifier(number: 1), of: server).status == 200)
    }

    /// What a server answers to somebody who has a link and asks for a device's key.
    private func reply(
        to link: Link,
        for device: Identifier,
        of server: TestServer
    ) async throws -> HTTPResponse {
        await enrol(try await question(by: link, for: device, to: server), at: server)
    }

    private func enrol(_ request: EnrolRequest, at server: TestServer) async -> HTTPResponse {
        await server.router.respond(
            to: HTTPRequest(
                "POST",
                "/v1/enrol",
                headers: ["content-type": "application/cbor"],
                body: request.encoded
            )
        )
    }

    /// The second request of an enrolment, with a fresh challenge.
    private func question(
        by link: Link,
        for device: Identifier,
        to server: TestServer
    ) async throws -> EnrolRequest {
        let first = await enrol(EnrolRequest(), at: server)
        let challenge = try EnrolReply(decoding: first.body).challenge
        var request = EnrolRequest()
        request.challenge = challenge
        request.space = link.invitation?.space
        request.device = device
        let keys = link.secret.keys
        request.proofs = [keys.publicKeys.invitation, device].map {
            EnrolProof($0, keys.signing, challenge: challenge, authority: server.authority)
        }
        return request
    }

    @Test func `edits made while the clock was a day behind after a boot win if they are later`()
        async throws
    {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        let phone = try TestDevice("phone", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        try await phone.join(try await boat.link())
        try await phone.sync()
        try await boat.sync()
        server.clock.advance(by: 3_600_000)
        try await phone.set("name", .text("phone, earlier"), of: track)
        try await phone.sync()
        // The boat boots anew with a clock that lost a day; what it knew is of another boot.
        try await boat.replica.write {
            try $0.clockPeriods.learn(
                ClockAnchor(bootMilliseconds: 0, boot: Identifier(number: 99))
            )
        }
        boat.offset.withLock { $0 = -24 * 3_600_000 }
        server.clock.advance(by: 3_600_000)
        try await boat.set("name", .text("boat, an hour later"), of: track)
        try await boat.sync()
        try await phone.sync()
        #expect(try await phone.value("name", of: track) == .text("boat, an hour later"))
    }

    @Test(arguments: [-86_400_000, 86_400_000] as [Int64])
    func `C9 what a server whose clock was wrong told in this boot makes no later edit lose`(
        error: Int64
    ) async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        let phone = try TestDevice("phone", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        try await phone.join(try await boat.link())
        for device in [phone, boat] { try await device.sync() }
        let anchor = try #require(try await boat.replica.read { try $0.identity.current() }.anchor)
        try await boat.replica.write {
            try $0.clockPeriods.learn(
                ClockAnchor(bootMilliseconds: anchor.bootMilliseconds + error, boot: anchor.boot)
            )
        }
        try await phone.set("name", .text("earlier"), of: track)
        try await phone.sync()
        server.clock.advance(by: 60_000)
        try await boat.set("name", .text("later"), of: track)
        let result = try await boat.sync()
        #expect(result.declined == 0 && result.end == .complete)
        for device in [phone, boat] {
            try await device.sync()
            #expect(try await device.value("name", of: track) == .text("later"))
        }
    }

    @Test(arguments: [-3_600_000, -86_400_000, 7_200_000] as [Int64])
    func `of two edits the later one wins, however wrong a clock went`(offset: Int64) async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        let phone = try TestDevice("phone", server)
        try await boat.join(try await server.invite())
        try await boat.set("name", .text("first"), of: track)
        try await boat.sync()
        try await phone.join(try await boat.link())
        try await phone.sync()
        phone.offset.withLock { $0 = offset }
        server.clock.advance(by: 5000)
        try await phone.set("name", .text("earlier"), of: track)
        server.clock.advance(by: 15_000)
        try await boat.set("name", .text("later"), of: track)
        try await boat.sync()
        server.clock.advance(by: 4000)
        for device in [phone, boat] { try await device.sync() }
        for device in [phone, boat] {
            #expect(try await device.value("name", of: track) == .text("later"))
        }
        #expect(try await phone.fingerprint() == boat.fingerprint())
    }

    @Test(arguments: [0, 1, 2, .max >> 1] as [UInt64])
    func `a device survives any answer`(sequence: UInt64) async throws {
        let server = try TestServer()
        let ann = try TestDevice("ann", server)
        try await ann.join(try await server.invite())
        let evil = RouterTransport(
            router: server.router,
            after: { request, response in
                guard request.path == "/v1/sync" else { return response }
                var reply = try SyncReply(decoding: response.body)
                guard !reply.spaces.isEmpty else { return response }
                reply.spaces[0].results = [
                    .failed(problem: "sequence-gap", sequence: sequence)
                ]
                return HTTPResponse(200, headers: response.headers, body: reply.encoded).digested
            }
        )
        try await ann.sync(over: evil)
        try await ann.sync()
        #expect(try await ann.replica.read { try $0.maintenance.status() }.isSent)
    }

    @Test func `a slow upload does not move the clock`() async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        let slow = RouterTransport(
            router: server.router,
            before: { _ in server.clock.advance(by: 60_000) }
        )
        try await boat.sync(over: slow)
        let anchor = try unwrapped(try await boat.replica.read { try $0.identity.current() }.anchor)
        #expect(abs(try unwrapped(anchor.offsetMilliseconds(at: boat.moment))) <= 2000)
    }

    @Test func `a set that was not taken owns nothing`() async throws {
        let server = try TestServer()
        let ann = try TestDevice("ann", server)
        let bob = try TestDevice("bob", server)
        try await ann.join(try await server.invite())
        try await bob.join(try await server.invite())
        try await bob.sync()
        // Bob pushes sequence 2 of the replica id that Ann will use: refused as a gap.
        let me = try await bob.replica.read { try $0.identity.current() }
        let space = try await bob.space()
        let keys = try await bob.replica.read { try $0.identity.deviceKeys() }
        let change = Change(
            key: Key("x", .text("r"), "f"),
            cell: Cell(stamp: Stamp(time: 1, replica: me.replica), value: .bool(true))
        )
        var header = Header(
            space: space,
            device: me.device,
            replica: try await ann.replica.read { try $0.identity.current() }.replica,
            sequence: 2,
            previous: Digest(of: [1]),
            stamps: 1...1,
            cellCount: 1,
            bodyHash: .zero,
            bodyByteCount: 1,
            decodedByteCount: 1,
            seen: Seen(position: .none, chain: .zero, controls: 1)
        )
        let body = Body.encode([change], from: 1).bytes
        header.bodyHash = Digest(of: body)
        header.bodyByteCount = body.count
        header.decodedByteCount = body.count
        let spaceKeys = try await bob.replica.read { try $0.spaces.keys(of: space) }
        let upload = try upload(header, spaceKeys, keys)
        var budget = DecodingBudget()
        let item = PushItem(upload: upload, body: body).encoded
        let set = try PushedSet.check(
            item,
            in: space,
            by: me.device,
            Author.serverKeys,
            &budget
        ).get()
        let device = try unwrapped(try await server.store.device(me.device))
        _ = try await server.store.append(
            [set],
            to: space,
            by: device,
            at: server.clock.wall
        )
        let result = try await ann.sync()
        #expect(result.end == .complete)
    }

    @Test(arguments: [[40], []] as [[UInt64]])
    func `an authentic set that is no good gets a verdict, and its chain goes on`(
        critical: [UInt64]
    ) async throws {
        let server = try TestServer()
        let boat = try TestDevice("boat", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        let me = try await boat.replica.read { try $0.identity.current() }
        let space = try await boat.space()
        let body: [UInt8] = [0x01]
        var header = Header(
            space: space,
            device: me.device,
            replica: Identifier(number: 77),
            sequence: 1,
            previous: .zero,
            stamps: 1...1,
            cellCount: 1,
            bodyHash: Digest(of: body),
            bodyByteCount: 1,
            decodedByteCount: 1,
            seen: Seen(position: .none, chain: .zero, controls: 1)
        )
        header.critical = critical
        let spaceKeys = try await boat.replica.read { try $0.spaces.keys(of: space) }
        let keys = try await boat.replica.read { try $0.identity.deviceKeys() }
        let upload = try upload(header, spaceKeys, keys)
        let request = SyncRequest(spaces: [
            SyncRequest.SpaceRequest(
                space: space,
                replica: Identifier(number: 77),
                cursor: .none,
                items: [PushItem(upload: upload, body: body).encoded]
            )
        ])
        let reply = try await boat.client().sync(request)
        let head = try unwrapped(reply.spaces[0].page).head
        let expected: PushResult =
            critical.isEmpty
            ? .judged(position: head, .refused, reason: "schema")
            : .judged(position: head, .held, reason: "upgrade")
        #expect(reply.spaces[0].results == [expected])
        #expect(reply.spaces[0].held?.head.sequence == 1)
        try await boat.sync()
        #expect(try await boat.replica.read { try $0.maintenance.verify() }.faults == [])
        let own = try await boat.replica.read { try $0.spaces.all() }.first { $0.id == space }
        #expect(own?.merged.position == head)
    }
}
