@testable import SyncCore
import Testing

@testable import SyncServer

/// The devices of one person in the spaces that this person shares, over a whole server.
@Suite struct OwnDevicesTests {
    private let server: TestServer
    private let boat: TestDevice
    private let laptop: TestDevice
    private let bob: TestDevice

    /// Ann has a boat that joined, and a laptop that did not; Bob has joined nothing.
    init() async throws {
        server = try TestServer(clock: TestClock())
        boat = try TestDevice("boat", server)
        (laptop, bob) = (try TestDevice("laptop", server), try TestDevice("phone", server))
        try await boat.join(try await server.invite())
    }

    private func found(by device: TestDevice) async throws -> Identifier {
        let space = try await device.found()
        try await device.sync()
        return space
    }

    private func spaces(_ device: TestDevice) async throws -> [Identifier] {
        try await device.replica.read { try $0.spaces.all() }.filter { $0.kind == .shared }
            .map(\.id)
    }

    private func isWhole(_ devices: [TestDevice], _ space: Identifier) async throws -> Bool {
        var prints: Set<Fingerprint> = []
        for device in devices {
            let all = try await device.replica.read { try $0.spaces.all() }
            let known = try unwrapped(all.first { $0.id == space })
            guard known.isComplete else { return false }
            prints.insert(known.fingerprint)
        }
        return prints.count == 1
    }

    @Test func `a further device gets the shared spaces with its first sync`() async throws {
        let space = try await found(by: boat)
        try await laptop.join(try await boat.link())
        try await boat.sync()
        #expect(try await laptop.sync().problems.isEmpty)
        #expect(try await spaces(laptop) == [space])
        try await boat.sync()
        #expect(try await isWhole([boat, laptop], space))
        let chain = try await laptop.chain(of: space)
        #expect(chain.role(ofDevice: try await laptop.id()) == .owner)
        #expect(chain.roles.count == 1)
    }

    @Test func `a device that no other has let in yet waits without a problem`() async throws {
        let space = try await found(by: boat)
        try await laptop.join(try await boat.link())
        let early = try await laptop.sync()
        #expect(early.end == .complete && early.problems.isEmpty)
        #expect(try await spaces(laptop).isEmpty)
        try await boat.sync()
        try await laptop.sync()
        #expect(try await spaces(laptop) == [space])
    }

    @Test func `a space that a member entered reaches the member's other device`() async throws {
        try await laptop.join(try await boat.link())
        let club = try await found(by: bobJoined())
        try await boat.join(try await bob.invite(to: club, as: .viewer))
        for device in [boat, laptop, bob] { try await device.sync() }
        #expect(try await spaces(laptop) == [club])
        try await laptop.sync()
        #expect(try await bob.chain(of: club).role(ofDevice: try await laptop.id()) == .viewer)
        for device in [bob, boat, laptop, bob] { try await device.sync() }
        #expect(try await isWhole([bob, boat, laptop], club))
    }

    @Test func `a device that is revoked loses the shared spaces too`() async throws {
        let space = try await found(by: boat)
        try await laptop.join(try await boat.link())
        for device in [boat, laptop, boat] { try await device.sync() }
        let lost = try await laptop.id()
        let epochs = try await boat.chain(of: space).epochs.count
        try await boat.replica.write {
            try $0.controlSealer.revoke([lost], at: boat.moment)
        }
        try await boat.sync()
        let chain = try await boat.chain(of: space)
        #expect(chain.cards[lost]?.isRevoked == true)
        #expect(chain.epochs.count == epochs + 1)
        #expect(try await server.store.chain(of: space)?.cards[lost]?.isRevoked == true)
    }

    @Test func `who is no admin leaves the key epoch after a revocation to an admin`() async throws
    {
        try await laptop.join(try await boat.link())
        let club = try await found(by: bobJoined())
        try await boat.join(try await bob.invite(to: club, as: .editor))
        for device in [boat, laptop, bob] { try await device.sync() }
        let lost = try await laptop.id()
        try await boat.replica.write { try $0.controlSealer.revoke([lost], at: boat.moment) }
        try await boat.sync()
        #expect(try await boat.chain(of: club).needsEpoch)
        for device in [bob, boat] { try await device.sync() }
        let chain = try await boat.chain(of: club)
        #expect(chain.cards[lost]?.isRevoked == true && !chain.needsEpoch)
        #expect(try await isWhole([bob, boat], club))
    }

    @Test func `a recovery code is in the shared spaces as well`() async throws {
        let space = try await found(by: boat)
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        try await boat.sync()
        let card = try await boat.chain(of: space).cards[code.keys.publicKeys.device]
        #expect(card?.isLive == true && card?.card.kind == .recovery)
        try await boat.sync()
        let count = try await boat.chain(of: space).count
        try await boat.sync()
        #expect(try await boat.chain(of: space).count == count)
    }

    @Test func `a recovery code brings the shared spaces back after the loss of every device`()
        async throws
    {
        let space = try await found(by: boat)
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        for _ in 0..<2 { try await boat.sync() }
        try await laptop.enroller().recover(by: code, with: laptop.replica, at: laptop.moment)
        #expect(try await laptop.sync().problems.isEmpty)
        #expect(try await spaces(laptop).isEmpty)
        let enroller = laptop.enroller()
        let (replica, now) = (laptop.replica, laptop.moment)
        let entered = try await enroller.enterListedSpaces(by: code, with: replica, at: now)
        #expect(entered == [space])
        #expect(try await laptop.sync().problems.isEmpty)
        try await boat.sync()
        #expect(try await isWhole([boat, laptop], space))
        #expect(try await enroller.enterListedSpaces(by: code, with: replica, at: now).isEmpty)
    }

    @Test func `the recovery code of a revoked device comes into no shared space`() async throws {
        try await laptop.join(try await boat.link())
        for device in [boat, laptop] { try await device.sync() }
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await laptop.replica.write { try $0.controlSealer.add(code, at: laptop.moment) }
        try await laptop.sync()
        try await boat.sync()
        let lost = try await laptop.id()
        try await boat.replica.write { try $0.controlSealer.revoke([lost], at: boat.moment) }
        try await boat.sync()
        let space = try await found(by: boat)
        let chain = try await boat.chain(of: space)
        #expect(chain.cards.count == 1)
    }

    @Test func `a database that was revoked gets its shared spaces back by the code`() async throws
    {
        let club = try await found(by: bobJoined())
        try await boat.join(try await bob.invite(to: club, as: .editor))
        try await laptop.join(try await boat.link())
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        for device in [boat, laptop, boat] { try await device.sync() }
        let lost = try await laptop.id()
        try await boat.replica.write { try $0.controlSealer.revoke([lost], at: boat.moment) }
        try await boat.sync()
        #expect(try await laptop.sync().end != .complete)
        let enroller = laptop.enroller()
        try await enroller.recover(by: code, with: laptop.replica, at: laptop.moment)
        try await laptop.sync()
        let (replica, now) = (laptop.replica, laptop.moment)
        _ = try await enroller.enterListedSpaces(by: code, with: replica, at: now)
        #expect(try await laptop.sync().problems.isEmpty)
        #expect(try await laptop.chain(of: club).role(ofDevice: try await laptop.id()) == .editor)
        for device in [bob, boat, laptop] { try await device.sync() }
        #expect(try await isWhole([bob, boat, laptop], club))
    }

    @Test func `a useless answer for one space stops no other`() async throws {
        let first = try await found(by: boat)
        let second = try await found(by: boat)
        try await laptop.join(try await boat.link())
        try await boat.sync()
        // Asked for one of them, the server answers with what it said of the own space.
        let own = try await boat.replica.read { try $0.spaces.own() }
        let bad = min(first, second)
        let other = Locked<HTTPResponse?>(nil)
        var transport = server.transport
        transport.after = { request, response in
            guard let asked = try? EnrolRequest(decoding: request.body), asked.challenge != nil
            else { return response }
            if asked.space == own { other.withLock { $0 = response } }
            return asked.space == bad ? other.withLock { $0 } ?? response : response
        }
        try await laptop.enroller(transport).host(with: laptop.replica, at: laptop.moment)
        #expect(try await laptop.sync(over: transport).end == .complete)
        #expect(try await spaces(laptop) == [max(first, second)])
        try await laptop.sync()
        #expect(Set(try await spaces(laptop)) == [first, second])
    }

    @Test func `two devices that let in a third do it once`() async throws {
        let space = try await found(by: boat)
        try await laptop.join(try await boat.link())
        for device in [boat, laptop] { try await device.sync() }
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await boat.link())
        // Both see the tablet before either has sent its card.
        for device in [boat, laptop] {
            try await device.replica.write { _ = try $0.sealer.seal(at: device.moment) }
        }
        for _ in 0..<2 { for device in [boat, laptop, tablet] { try await device.sync() } }
        let chain = try await tablet.chain(of: space)
        #expect(chain.liveCards.count == 3)
        #expect(try await isWhole([boat, laptop, tablet], space))
        for device in [boat, laptop] {
            #expect(try await device.replica.read { try $0.rejected.all() }.isEmpty)
        }
    }

    @Test func `a server that shows another control chain is named`() async throws {
        let space = try await found(by: boat)
        try await laptop.join(try await boat.link())
        try await boat.sync()
        let user = try await boat.replica.read { try $0.identity.current() }.user
        let wrong = SpaceAnchor(index: 0, hash: Digest(of: [1]))
        let key = Key(
            CollectionSchema.membership.name,
            .user(user),
            MembershipField.anchor(of: space)
        )
        let own = try await boat.replica.read { try $0.spaces.own() }
        server.clock.advance(by: 1000)
        try await laptop.replica.write {
            _ = try $0.rows.write([Edit(key, wrong.value)], in: own, at: laptop.moment)
        }
        try await laptop.sync()
        #expect(try await spaces(laptop).isEmpty)
        let breaches = try await laptop.replica.read { try $0.breaches.all() }
        #expect(breaches.map(\.kind) == [.twoHistories])
        // A device that is in the space puts it right.
        for device in [boat, boat, laptop, laptop] { try await device.sync() }
        #expect(try await spaces(laptop) == [space])
    }

    private func bobJoined() async throws -> TestDevice {
        try await bob.join(try await server.invite())
        return bob
    }
}
