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
    /// The tablet before it knew of the link.
    private let image: TestDevice
    /// A link that the phone made before it was revoked.
    private let door: Link
    private let empty: TestServer

    init() async throws {
        couple = try await Couple()
        laptop = try TestDevice("laptop", couple.server)
        tablet = try TestDevice("tablet", couple.server)
        for device in [laptop, tablet] { try await device.join(try await couple.boat.link()) }
        for device in [laptop, couple.phone, tablet, laptop] { try await device.sync() }
        image = try await TestDevice(copyOf: tablet, withGuard: true)
        door = try await couple.phone.link()
        try await tablet.sync()
        try await couple.boat.revoke(couple.phone)
        try await laptop.sync()
        empty = try TestServer(clock: couple.server.clock, master: 8)
    }

    private func rejoin(_ device: TestDevice, _ link: Link) async throws {
        try await device.enroller(empty.transport)
            .rejoin(link, with: device.replica, at: device.moment)
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
                    at: phone.moment
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
        let error = await #expect(throws: ReplicaError.self) {
            try await rejoin(laptop, try await empty.invite())
        }
        let chain = try unwrapped(try await empty.store.chain(of: space))
        let newest = chain.cards.values.max { $0.term.admitted < $1.term.admitted }?.card.device
        #expect(error == .revivedDevice(revoked, newcomers: [try unwrapped(newest)]))
        // `status` and `verify` tell it, until another log is here.
        let breaches = { try await laptop.replica.read { try $0.breaches.open() }.map(\.kind) }
        #expect(try await breaches() == [.revivedDevice])
        #expect(try await id(laptop) == before)
        #expect(try await empty.store.chain(of: space)?.head == head)
        // At the next empty server the laptop is the first.
        let again = try TestServer(clock: couple.server.clock, master: 9)
        for device in [laptop, couple.boat] {
            try await device.enroller(again.transport)
                .rejoin(try await again.invite(), with: device.replica, at: device.moment)
            for _ in 0..<2 { try await device.sync(over: again.transport) }
        }
        let repaired = try unwrapped(try await again.store.chain(of: space))
        #expect(repaired.cards[revoked]?.isLive == false)
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

    @Test func `nobody publishes a link of a revoked device again`() async throws {
        let server = couple.server
        // Here others take the places of the link and of the revocation.
        let other = try TestServer(clock: server.clock)
        var random = SplitMix64(seed: 4)
        let code = RecoveryCode(using: &random)
        try await image.replica.write { try $0.controlSealer.add(code, at: image.moment) }
        for device in [image, laptop, couple.boat, laptop] {
            try await device.sync(over: other.transport)
        }
        let chain = try unwrapped(try await other.store.chain(of: try await couple.boat.space()))
        #expect(chain.cards[try await id(couple.phone)]?.isLive == false)
        #expect(chain.hasRecoveryCode)
        #expect(chain.openInvitations[door.secret.keys.publicKeys.invitation] == nil)
    }

    @Test func `a server that kept its revocations lets the device open no door`() async throws {
        let revoked = try await id(couple.phone)
        try await empty.store.replayRevocations([revoked])
        let problem = await #expect(throws: ServerProblem.self) {
            try await rejoin(couple.phone, try await empty.invite())
        }
        #expect(problem?.type == .unauthorized)
        // Nor does a link that it made before, which the tablet's chain has.
        try await rejoin(tablet, try await empty.invite())
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
        try await image.replica.write { try $0.controlSealer.add(code, at: image.moment) }
        try await image.sync(over: wiped.transport)
        try await boat.sync(over: wiped.transport)
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment) }
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

    @Test func `a set that the server refused, and accepts after the revocation, is not followed`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone, server) = (couple.boat, couple.phone, couple.server)
        let restored = try await server.copied(newEpoch: true)
        var random = SplitMix64(seed: 7)
        let code = RecoveryCode(using: &random)
        try await phone.sync(over: restored.transport)
        try await phone.replica.write { try $0.controlSealer.add(code, at: phone.moment) }
        try await phone.sync(over: restored.transport)
        let space = try await boat.space()
        let bytes = try unwrapped(try await restored.store.controls(of: space, from: 0).last)
        let entry = try LogEntry(decoding: bytes[...])
        guard case .set(let raw, .accepted) = entry.content else { throw CancellationError() }
        let upload = try Upload(parsing: raw)
        let question = LogQuestion(space: space, asker: nil)
        _ = try await server.store.decide(question, at: server.clock.wall) {
            $0.appendSet(upload, body: entry.body, .refused, "role")
        }
        try await boat.sync()
        try await boat.revoke(phone)
        let id = try await phone.replica.read { try $0.identity.current() }.device
        #expect(try await boat.sync(over: restored.transport).revived == id)
    }

    @Test func `who does not know of a revocation may vouch for the device, and is followed`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        let watch = try TestDevice("watch", couple.server)
        try await watch.join(try await boat.link())
        for device in [watch, phone] { try await device.sync() }
        try await boat.revoke(watch)
        // Another control set takes the place of the link by which the watch had entered.
        let wiped = try TestServer(clock: couple.server.clock)
        var random = SplitMix64(seed: 6)
        let code = RecoveryCode(using: &random)
        try await image.replica.write { try $0.controlSealer.add(code, at: image.moment) }
        for device in [image, phone] { try await device.sync(over: wiped.transport) }
        let id = try await watch.replica.read { try $0.identity.current() }.device
        let space = try await boat.space()
        #expect(try await wiped.store.chain(of: space)?.cards[id]?.isLive == true)
        for _ in 0..<2 {
            #expect(try await boat.sync(over: wiped.transport).revived == nil)
        }
        #expect(try await wiped.store.chain(of: space)?.cards[id]?.isLive == false)
        try await [boat, phone].settle(with: wiped)
    }
}

/// A revoked device let another one in at a server that was put back without the revocation.
@Suite struct LetInByRevokedTests {
    private let couple: Couple
    private let laptop: TestDevice
    private let thief: TestDevice
    private let again: TestServer
    private let revoked: Identifier

    init() async throws {
        couple = try await Couple()
        laptop = try TestDevice("laptop", couple.server)
        try await laptop.join(try await couple.boat.link())
        for device in [laptop, couple.phone, couple.boat] { try await device.sync() }
        let restored = try await couple.server.copied(newEpoch: true)
        again = try await couple.server.copied(newEpoch: true)
        try await couple.boat.revoke(couple.phone)
        try await laptop.sync()
        revoked = try await couple.phone.replica.read { try $0.identity.current() }.device
        try await couple.phone.sync(over: restored.transport)
        thief = try TestDevice("thief", restored)
        try await thief.join(try await couple.phone.link(at: restored))
        try await thief.set("notes", "theirs", of: couple.track)
        try await thief.sync()
        for device in [couple.boat, laptop] {
            #expect(try await device.sync(over: restored.transport).revived == revoked)
        }
    }

    @Test func `the server that the operator repaired leaves nothing to tell`() async throws {
        try await again.store.replayRevocations([revoked])
        for device in [couple.boat, laptop] { try await device.sync(over: again.transport) }
        try await [couple.boat, laptop].settle(with: again)
        for device in [couple.boat, laptop] {
            let result = try await device.sync(over: again.transport)
            #expect(result.problems == [] && result.end == .complete, "\(result)")
            let listed = try await device.replica.read { try $0.rejected.all() }
            #expect(listed.isEmpty, "\(listed)")
            #expect(try await device.value("notes", of: couple.track) == nil)
        }
    }

    @Test func `an empty server that the newcomer fills first is told, and gets nothing more`()
        async throws
    {
        let empty = try TestServer(clock: couple.server.clock)
        try await empty.store.replayRevocations([revoked])
        try await thief.sync(over: empty.transport)
        let space = try await couple.boat.space()
        for device in [couple.boat, laptop] { try await device.sync(over: empty.transport) }
        let head = try await empty.store.page(of: space, after: 0, for: nil, byteLimit: 1).head
        for device in [couple.boat, laptop, couple.boat, laptop] {
            let result = try await device.sync(over: empty.transport)
            #expect(result.end == .complete && result.revived == revoked, "\(result)")
        }
        #expect(
            try await empty.store.page(of: space, after: 0, for: nil, byteLimit: 1).head == head
        )
        let newcomer = try await thief.replica.read { try $0.identity.current() }.device
        let strangers = try await laptop.replica.read { try $0.controls.strangers(in: space) }
        #expect(strangers == [newcomer])
        // With its id, too, the operator gets the others whole.
        let repaired = try TestServer(clock: couple.server.clock)
        try await repaired.store.replayRevocations([revoked, newcomer])
        #expect(try await thief.sync(over: repaired.transport).end != .complete)
        try await couple.boat.sync(over: repaired.transport)
        try await [couple.boat, laptop].settle(with: repaired)
    }
}
