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

        /// The phone, live on the restored server, revokes the boat.
        func takeOver() async throws {
            try await phone.sync(over: restored.transport)
            let id = try await boat.replica.read { try $0.identity.current() }.device
            try await phone.replica.write {
                try $0.controlSealer.revoke([id], at: phone.moment.wall)
            }
            try await phone.sync(over: restored.transport)
        }
    }

    @Test func `what a revoked device changes is not followed, and is told`() async throws {
        let scene = try await Scene()
        let (laptop, restored) = (scene.laptop, scene.restored)
        try await laptop.set("name", "mine", of: track)
        try await scene.takeOver()
        for _ in 0..<3 { try await laptop.sync(over: restored.transport) }
        #expect(try await scene.kinds(laptop) == [.revivedDevice])
        #expect(try await scene.isLive(scene.phone, for: laptop) == false)
        #expect(try await scene.isLive(scene.boat, for: laptop) == true)
        #expect(try await laptop.value("name", of: track) == "mine")
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
            try $0.controlSealer.add(code, at: scene.tablet.moment.wall)
        }
        try await scene.tablet.sync(over: restored.transport)
        try await scene.takeOver()
        try await laptop.sync(over: restored.transport)
        #expect(try await scene.kinds(laptop) == [.revivedDevice])
        #expect(try await scene.isLive(scene.boat, for: laptop) == true)
        // It does not try again and again to revoke the phone where it cannot.
        let space = try await laptop.space()
        let page = try await restored.store.page(of: space, after: 0, for: nil, byteLimit: 1)
        for _ in 0..<3 { try await laptop.sync(over: restored.transport) }
        let later = try await restored.store.page(of: space, after: 0, for: nil, byteLimit: 1)
        #expect(page.head == later.head)
    }

    @Test func `a server that gets the revocation is followed again, with all changes`()
        async throws
    {
        let scene = try await Scene()
        let (boat, laptop) = (scene.boat, scene.laptop)
        let again = try await scene.restored.copied(newEpoch: true)
        try await laptop.set("name", "mine", of: track)
        try await scene.takeOver()
        try await laptop.sync(over: scene.restored.transport)
        try await laptop.set("sport", "sail", of: track)
        let id = try await scene.phone.replica.read { try $0.identity.current() }.device
        try await again.store.replayRevocations([id])
        for device in [laptop, boat, scene.tablet, laptop, boat] {
            try await device.sync(over: again.transport)
        }
        for device in [boat, laptop, scene.tablet] {
            #expect(try await device.value("name", of: track) == "mine")
            #expect(try await device.value("sport", of: track) == "sail")
            #expect(try await scene.isLive(scene.phone, for: device) == false)
            #expect(try await device.fingerprint() == boat.fingerprint())
        }
        let refused = try await scene.phone.sync(over: again.transport)
        #expect(refused.end != .complete)
    }
}
