@testable import SyncCore
import Testing

@testable import SyncServer

/// A server that was put back to before a revocation, with the revoked device as the first to come.
///
/// Who merged the revocation takes nothing from that device, whatever the server says.
@Suite struct RevivedDeviceTests {
    private let track = Identifier(number: 42)

    /// The boat has revoked the phone; the laptop knows it, the tablet and the restored server do not.
    private struct Scene {
        let boat: TestDevice
        let phone: TestDevice
        let laptop: TestDevice
        let tablet: TestDevice
        let server: TestServer
        let restored: TestServer

        init() async throws {
            let couple = try await Couple()
            (server, boat, phone) = (couple.server, couple.boat, couple.phone)
            laptop = try TestDevice("laptop", server)
            tablet = try TestDevice("tablet", server)
            for device in [laptop, tablet] {
                try await device.join(try await boat.link())
                try await device.sync()
            }
            for device in [boat, phone, laptop, tablet] { try await device.sync() }
            restored = try await server.copied(newEpoch: true)
            try await boat.revoke(phone)
            try await laptop.sync()
        }

        func kinds(_ device: TestDevice) async throws -> [Breach.Kind?] {
            try await device.replica.read { try $0.breaches.all() }.map(\.kind)
        }

        func isLive(_ device: TestDevice, for other: TestDevice) async throws -> Bool? {
            let id = try await device.replica.read { try $0.identity.current() }.device
            return try await other.replica.read { try $0.controls.chain(of: $0.spaces.own()) }
                .cards[id]?.isLive
        }

        func head(of server: TestServer) async throws -> UInt64 {
            let space = try await boat.space()
            return try await server.store.page(of: space, after: 0, for: nil, byteLimit: 1).head
        }

        /// The phone, live on the restored server, revokes the boat.
        func takeOver() async throws {
            try await phone.sync(over: restored.transport)
            let id = try await boat.replica.read { try $0.identity.current() }.device
            try await phone.replica.write {
                try $0.controlSealer.revoke([id], at: phone.moment)
            }
            try await phone.sync(over: restored.transport)
        }
    }

    @Test func `a control set of a revoked device is told at every sync, and not merged`()
        async throws
    {
        let scene = try await Scene()
        let (laptop, restored) = (scene.laptop, scene.restored)
        let id = try await scene.phone.replica.read { try $0.identity.current() }.device
        try await laptop.set("name", "mine", of: track)
        try await scene.takeOver()
        for _ in 0..<3 {
            let result = try await laptop.sync(over: restored.transport)
            #expect(result.end == .complete && result.revived == id)
            #expect(result.repaired == 0 && result.refilled == 0, "\(result)")
        }
        // What it changes itself is refused there once, and not sent again and again.
        _ = try await laptop.unsentLink()
        try await laptop.sync(over: restored.transport)
        let head = try await scene.head(of: restored)
        for _ in 0..<3 {
            #expect(try await laptop.sync(over: restored.transport).end == .complete)
        }
        #expect(try await scene.head(of: restored) == head)
        #expect(try await scene.kinds(laptop) == [.revivedDevice])
        #expect(try await scene.isLive(scene.phone, for: laptop) == false)
        #expect(try await scene.isLive(scene.boat, for: laptop) == true)
        #expect(try await laptop.value("name", of: track) == "mine")
    }

    @Test func `a revocation that the server refuses, because the device came first, stays`()
        async throws
    {
        let scene = try await Scene()
        let laptop = scene.laptop
        // The phone comes between the laptop's look at the log and its refill.
        let transport = Interrupted(router: scene.restored.router) { try await scene.takeOver() }
        for _ in 0..<2 { try await laptop.sync(over: transport) }
        #expect(try await scene.kinds(laptop) == [.revivedDevice])
        #expect(try await scene.isLive(scene.phone, for: laptop) == false)
        #expect(try await scene.isLive(scene.boat, for: laptop) == true)
        let faults = try await laptop.replica.read { try $0.maintenance.verify() }.faults
        #expect(!faults.contains { $0.contains("missing here") }, "\(faults)")
    }

    @Test func `the revocation stays known after an uninformed device took its place`()
        async throws
    {
        let scene = try await Scene()
        let (laptop, restored) = (scene.laptop, scene.restored)
        var random = SplitMix64(seed: 3)
        let code = RecoveryCode(using: &random)
        try await scene.tablet.sync(over: restored.transport)
        try await scene.tablet.replica.write {
            try $0.controlSealer.add(code, at: scene.tablet.moment)
        }
        try await scene.tablet.sync(over: restored.transport)
        try await scene.takeOver()
        try await laptop.sync(over: restored.transport)
        #expect(try await scene.kinds(laptop) == [.revivedDevice])
        #expect(try await scene.isLive(scene.boat, for: laptop) == true)
        // A salvaged replica remembers it, too.
        let folder = try TestFolder()
        _ = try await Replica.salvage(
            from: laptop.path,
            to: folder.path + "/saved.db",
            at: laptop.moment.wall,
            using: &random
        )
        let saved = try Database(path: folder.path + "/saved.db").all(
            "SELECT device FROM lost_revocation"
        ) { $0.id(0) }
        #expect(saved == [try await scene.phone.replica.read { try $0.identity.current() }.device])
        // It does not try again and again to revoke the phone where it cannot.
        let head = try await scene.head(of: restored)
        for _ in 0..<3 {
            let result = try await laptop.sync(over: restored.transport)
            #expect(result.revived != nil && result.repaired == 0 && result.mismatches == 0)
        }
        #expect(try await scene.head(of: restored) == head)
    }

    /// The scene after a takeover that the tablet followed, with a server that was put back once more and
    /// knows the revocation.
    private func repaired(_ scene: Scene) async throws -> TestServer {
        let again = try await scene.restored.copied(newEpoch: true)
        try await scene.laptop.set("name", "mine", of: track)
        try await scene.takeOver()
        for device in [scene.tablet, scene.laptop] {
            try await device.sync(over: scene.restored.transport)
        }
        try await scene.laptop.set("sport", "sail", of: track)
        let id = try await scene.phone.replica.read { try $0.identity.current() }.device
        try await again.store.replayRevocations([id])
        // It is refused, and so are the control sets that it brings.
        #expect(try await scene.phone.sync(over: again.transport).end != .complete)
        return again
    }

    /// All but the phone have the same, and the phone stays out.
    private func expectEqual(_ scene: Scene, _ server: TestServer) async throws {
        let devices = [scene.boat, scene.laptop, scene.tablet]
        for device in devices + devices + devices { try await device.sync(over: server.transport) }
        for device in devices {
            #expect(try await device.value("name", of: track) == "mine")
            #expect(try await device.value("sport", of: track) == "sail")
            #expect(try await scene.isLive(scene.phone, for: device) == false)
            #expect(try await device.fingerprint() == scene.boat.fingerprint())
            #expect(try await scene.kinds(device) == [])
        }
        #expect(try await scene.phone.sync(over: server.transport).end != .complete)
    }

    /// A device enters anew by a link of another one.
    private func enter(
        _ device: TestDevice,
        by other: TestDevice,
        at server: TestServer
    ) async throws {
        let link = try await other.link(at: server)
        try await device.enroller(server.transport)
            .rejoin(link, with: device.replica, at: device.moment)
    }

    @Test func `a server that gets the revocation is followed again, with all changes`()
        async throws
    {
        let scene = try await Scene()
        let again = try await repaired(scene)
        for device in [scene.laptop, scene.boat, scene.tablet] {
            try await device.sync(over: again.transport)
        }
        #expect(try await scene.kinds(scene.laptop) == [])
        // For the tablet the phone was right, until its person says otherwise.
        #expect(Set(try await scene.kinds(scene.tablet)) == [.revivedDevice])
        try await enter(scene.tablet, by: scene.boat, at: again)
        try await expectEqual(scene, again)
    }

    /// A server that was put back without the revocation, and once more with it.
    ///
    /// The boat has merged what the phone wrote in between, and brings it as held.
    private func heldByCut(
        _ scene: Scene
    ) async throws -> (server: TestServer, sets: [RejectedChangeSet]) {
        let again = try await scene.restored.copied(newEpoch: true)
        let id = try await scene.phone.replica.read { try $0.identity.current() }.device
        try await scene.phone.set("notes", "after", of: track)
        _ = try await scene.phone.link(at: scene.restored)
        try await scene.boat.sync(over: scene.restored.transport)
        try await again.store.replayRevocations([id])
        for _ in 0..<2 { try await scene.boat.sync(over: again.transport) }
        let space = try await scene.boat.space()
        let entries = try await scene.boat.client(again.transport).held(in: space)
        let sets = try await scene.boat.replica.read {
            try $0.rejected.held(among: entries, in: space)
        }
        return (again, sets)
    }

    @Test(arguments: [ControlChain.HeldDecision.adopted, .declined])
    func `the owner decides what lies beyond a cut, which then leaves nothing open`(
        decision: ControlChain.HeldDecision
    ) async throws {
        let scene = try await Scene()
        let (again, sets) = try await heldByCut(scene)
        #expect(sets.map(\.state) == [.held(reason: "cut")])
        let (space, now) = (try await scene.boat.space(), scene.boat.moment)
        try await scene.boat.replica.write {
            try $0.controlSealer.decide(decision, on: sets.map(\.reference), in: space, at: now)
        }
        for _ in 0..<2 {
            #expect(try await scene.boat.sync(over: again.transport).end == .complete)
        }
        let spaces = try await scene.boat.replica.read { try $0.spaces.all() }
        #expect(spaces.map(\.isComplete) == [true])
        let notes = try await scene.boat.value("notes", of: track)
        #expect(notes == (decision == .adopted ? .text("after") : nil))
    }

    @Test func `a set that the next control set settles is not told as unreadable`() async throws {
        let scene = try await Scene()
        try await scene.phone.set("notes", "after", of: track)
        try await scene.phone.sync(over: scene.restored.transport)
        let result = try await scene.laptop.sync(over: scene.restored.transport)
        #expect(result.refilled > 0 && result.pending == 0)
        #expect(try await scene.isLive(scene.phone, for: scene.laptop) == false)
    }

    @Test func `who followed a revoked device does not let it in again`() async throws {
        let scene = try await Scene()
        let again = try await repaired(scene)
        // It repeats what the phone did, and so shuts the boat out.
        for device in [scene.tablet, scene.laptop] {
            try await device.sync(over: again.transport)
        }
        let id = try await scene.phone.replica.read { try $0.identity.current() }.device
        let chain = try unwrapped(try await again.store.chain(of: try await scene.boat.space()))
        #expect(chain.cards[id]?.isLive == false)
        try await enter(scene.boat, by: scene.laptop, at: again)
        try await expectEqual(scene, again)
    }
}

/// A network in which something happens before the first refill arrives.
private struct Interrupted: Transport {
    let router: Router
    private let isDone = Locked(false)
    private let happen: @Sendable () async throws -> Void

    init(router: Router, happen: @escaping @Sendable () async throws -> Void) {
        (self.router, self.happen) = (router, happen)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let isFirst = isDone.withLock { done in
            defer { done = done || request.path == "/v1/reconcile" }
            return !done && request.path == "/v1/reconcile"
        }
        if isFirst { try await happen() }
        return await router.respond(to: request)
    }
}
