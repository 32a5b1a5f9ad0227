@testable import SyncCore
import Testing

@testable import SyncServer

/// The store, the master key and maybe the file of revocations are lost, and the revoked device is the
/// first to come to the empty server.
@Suite struct RevivedAtEmptyServerTests {
    private let couple: Couple
    private let laptop: TestDevice
    /// It does not know of the revocation.
    private let tablet: TestDevice
    /// A link that the phone made before it was revoked.
    private let door: Link
    private let empty: TestServer

    init() async throws {
        couple = try await Couple()
        laptop = try TestDevice("laptop", couple.server)
        tablet = try TestDevice("tablet", couple.server)
        for device in [laptop, tablet] { try await device.join(try await couple.boat.link()) }
        for device in [laptop, couple.phone, tablet, laptop] { try await device.sync() }
        door = try await couple.phone.link()
        try await couple.boat.revoke(couple.phone)
        try await laptop.sync()
        empty = try TestServer(clock: couple.server.clock, master: 8)
    }

    private func rejoin(_ device: TestDevice, _ link: Link) async throws {
        try await device.enroller(empty.transport)
            .rejoin(link, with: device.replica, at: device.moment.wall)
    }

    private func id(_ device: TestDevice) async throws -> Identifier {
        try await device.replica.read { try $0.identity.current() }.device
    }

    @Test(arguments: [false, true])
    func `who knows the revocation does not follow whom the device let in`(byLink: Bool)
        async throws
    {
        let revoked = try await id(couple.phone)
        if byLink {
            let phone = couple.phone
            try await phone.enroller(empty.transport)
                .host(
                    token: try await empty.invite().secret.token,
                    with: phone.replica,
                    at: phone.moment.wall
                )
            let thief = try TestDevice("thief", empty)
            try await thief.join(door)
        } else {
            try await rejoin(couple.phone, try await empty.invite())
        }
        let before = try await id(laptop)
        let space = try await couple.boat.space()
        let head = try await empty.store.chain(of: space)?.head
        try await laptop.set("name", "mine", of: couple.track)
        await #expect(throws: ReplicaError.revivedDevice(revoked)) {
            try await rejoin(laptop, try await empty.invite())
        }
        #expect(try await id(laptop) == before)
        #expect(try await empty.store.chain(of: space)?.head == head)
        // At the next empty server the laptop is the first.
        let again = try TestServer(clock: couple.server.clock, master: 9)
        for device in [laptop, couple.boat] {
            try await device.enroller(again.transport)
                .rejoin(try await again.invite(), with: device.replica, at: device.moment.wall)
            for _ in 0..<2 { try await device.sync(over: again.transport) }
        }
        let chain = try unwrapped(try await again.store.chain(of: space))
        #expect(chain.cards[revoked]?.isLive == false)
        try await [laptop, couple.boat].settle(with: again)
        #expect(try await couple.boat.value("name", of: couple.track) == "mine")
    }

    @Test func `who joins again by the operator's link makes the revocation again`() async throws {
        let revoked = try await id(couple.phone)
        // The tablet's new card takes the place of the revocation.
        for device in [tablet, laptop] {
            try await rejoin(device, try await empty.invite())
            for _ in 0..<2 { try await device.sync(over: empty.transport) }
        }
        let chain = try unwrapped(try await empty.store.chain(of: try await couple.boat.space()))
        #expect(chain.cards[revoked]?.isLive == false)
        try await [laptop, tablet].settle(with: empty)
    }

    @Test func `a server that kept its revocations lets the device open no door`() async throws {
        let revoked = try await id(couple.phone)
        try await empty.store.replayRevocations([revoked])
        let problem = await #expect(throws: ServerProblem.self) {
            try await rejoin(couple.phone, try await empty.invite())
        }
        #expect(problem?.type == .unauthorized)
        // Nor does a link that it made before.
        let thief = try TestDevice("thief", empty)
        await #expect(throws: ServerProblem.self) { try await thief.join(door) }
        for device in [laptop, couple.boat] {
            try await rejoin(device, try await empty.invite())
            for _ in 0..<2 { try await device.sync(over: empty.transport) }
        }
        let chain = try unwrapped(try await empty.store.chain(of: try await couple.boat.space()))
        #expect(chain.cards[revoked]?.isLive == false)
        try await [laptop, couple.boat].settle(with: empty)
    }
}

/// What a device did before it was revoked, in a log that another one has replaced since.
@Suite struct EarlierControlTests {
    @Test
    func
        `an old copy of the server shows nothing wrong by what a device did before its revocation`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone, track) = (couple.boat, couple.phone, couple.track)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        _ = try await phone.link()
        try await boat.sync()
        let old = try await couple.server.copied(newEpoch: true)
        // A wiped server gets another control set in the place of the phone's.
        let wiped = try TestServer(clock: couple.server.clock)
        var random = SplitMix64(seed: 5)
        let code = RecoveryCode(using: &random)
        try await image.replica.write { try $0.controlSealer.add(code, at: image.moment.wall) }
        try await image.sync(over: wiped.transport)
        try await boat.sync(over: wiped.transport)
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment.wall) }
        try await boat.set("name", "mine", of: track)
        try await boat.sync(over: wiped.transport)
        for _ in 0..<3 {
            #expect(try await boat.sync(over: old.transport).revived == nil)
        }
        let chain = try unwrapped(try await old.store.chain(of: try await boat.space()))
        #expect(chain.cards[id]?.isLive == false && chain.hasRecoveryCode)
        try await [boat].settle(with: old)
        #expect(try await boat.value("name", of: track) == "mine")
    }
}
