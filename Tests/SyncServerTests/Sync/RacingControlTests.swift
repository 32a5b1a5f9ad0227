@testable import SyncCore
import Testing

@testable import SyncServer

/// Two devices that change who is in their space at once: each change has its effect.
@Suite struct RacingControlTests {
    private let track = Identifier(number: 42)

    /// Three devices that know of each other.
    private struct Scene {
        let couple: Couple
        let laptop: TestDevice

        init() async throws {
            couple = try await Couple()
            laptop = try TestDevice("laptop", couple.server)
            try await laptop.join(try await couple.boat.link())
            for device in [laptop, couple.phone] { try await device.sync() }
        }

        func isLive(_ device: TestDevice) async throws -> Bool? {
            let id = try await device.replica.read { try $0.identity.current() }.device
            let space = try await couple.boat.space()
            return try await couple.server.store.chain(of: space)?.cards[id]?.isLive
        }
    }

    @Test func `a link lets a device in though its maker did not know of a new key epoch`()
        async throws
    {
        let scene = try await Scene()
        let (boat, phone, server) = (scene.couple.boat, scene.couple.phone, scene.couple.server)
        try await boat.set("name", "at sea", of: track)
        try await boat.revoke(scene.laptop)
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await phone.link())
        try await [tablet, boat, phone].settle(with: server)
        #expect(try await tablet.value("name", of: track) == "at sea")
        #expect(try await scene.isLive(scene.laptop) == false)
    }

    @Test func `a recovery code counts though its maker did not know of a new key epoch`()
        async throws
    {
        let scene = try await Scene()
        let (boat, phone, server) = (scene.couple.boat, scene.couple.phone, scene.couple.server)
        try await boat.revoke(scene.laptop)
        var random = SplitMix64(seed: 2)
        let code = RecoveryCode(using: &random)
        try await phone.replica.write { try $0.controlSealer.add(code, at: phone.moment) }
        try await phone.sync()
        let chain = try await server.store.chain(of: try await boat.space())
        #expect(chain?.hasRecoveryCode == true)
    }

    @Test func `two devices that revoke two others at once both have their way`() async throws {
        let scene = try await Scene()
        let (boat, phone, server) = (scene.couple.boat, scene.couple.phone, scene.couple.server)
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await boat.link())
        for device in [tablet, phone] { try await device.sync() }
        try await boat.revoke(scene.laptop)
        let id = try await tablet.replica.read { try $0.identity.current() }.device
        try await phone.replica.write { try $0.controlSealer.revoke([id], at: phone.moment) }
        try await phone.sync()
        #expect(try await scene.isLive(tablet) == false)
        #expect(try await scene.isLive(scene.laptop) == false)
        try await [boat, phone].settle(with: server)
    }

    @Test func `a change of an earlier sync that waits for a secret is made by the next one`()
        async throws
    {
        let scene = try await Scene()
        let (boat, phone, server) = (scene.couple.boat, scene.couple.phone, scene.couple.server)
        try await boat.revoke(scene.laptop)
        let noWraps = LostChunks(router: server.router)
        let link = try await phone.unsentLink()
        try await phone.sync(over: noWraps)
        let space = try await phone.space()
        #expect(try await phone.replica.read { try $0.controls.hasWaiting(in: space) })
        try await phone.sync()
        #expect(try await !phone.replica.read { try $0.controls.hasWaiting(in: space) })
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await Enroller.anchored(link, for: phone.replica))
        try await [tablet, boat, phone].settle(with: server)
    }
}

/// A server that answers no request for a chunk, and ends a sync that never does.
struct LostChunks: Transport {
    let router: Router
    private let left = Locked(50)

    init(router: Router) { self.router = router }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let isMore = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isMore else { throw CancellationError() }
        guard request.path.contains("/chunks/") else { return await router.respond(to: request) }
        throw TransportError.timedOut(authority: "test:1")
    }
}
