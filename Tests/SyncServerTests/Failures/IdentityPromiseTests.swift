@testable import SyncCore
import Testing

@testable import SyncServer

/// What signatures, links and codes promise when a server or a person breaks their rules.
@Suite struct IdentityPromiseTests {
    private let hour: Int64 = 3_600_000

    /// A server that alters the signature in each entry of a log.
    private func breaches(_ device: TestDevice) async throws -> [String] {
        try await device.replica.read { try $0.breaches.all() }
            .map { "\($0.kind?.rawValue ?? "unknown") \($0.detail)" }
    }

    private func name(of device: TestDevice) async throws -> Identifier {
        try await device.replica.read { try $0.identity.current() }.replica
    }

    @Test(arguments: [0, 31, 32, 63])
    func `a wrong signature over the newest set of a device is a breach at once`(
        place: Int
    ) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", "written", of: couple.track)
        try await boat.sync()
        let lying = couple.server.altering { signature in
            var bytes = signature.bytes
            bytes[place] ^= 1
            return Signature(bytes: bytes)
        }
        #expect(try await breaches(phone).isEmpty)
        try await phone.sync(over: lying)
        let told = "wrongSignature \(try await name(of: boat))"
        #expect(try await breaches(phone) == [told])
        // It is listed; the set counts all the same, as its MACs are right.
        #expect(try await phone.value("name", of: couple.track) == "written")
        #expect(try await breaches(boat).isEmpty)
    }

    @Test func `sets that nobody signs for an hour are a breach, which is noted once`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        let silent = couple.server.altering { _ in nil }
        try await boat.set("name", "unsigned", of: couple.track)
        try await boat.sync()
        try await phone.sync(over: silent)
        clock.advance(by: hour - 1000)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone).isEmpty)
        clock.advance(by: 1000)
        try await phone.sync(over: silent)
        let told = ["unsignedSets \(try await name(of: boat))"]
        #expect(try await breaches(phone) == told)
        clock.advance(by: hour)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone) == told)
        // A signature that comes after all proves that there was no breach.
        try await boat.set("name", "signed", of: couple.track)
        try await boat.sync()
        try await phone.sync()
        #expect(try await breaches(phone).isEmpty)
    }

    @Test func `a log that is merged again does not begin the hour anew, nor hide the breach`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        let silent = couple.server.altering { _ in nil }
        // A server can bring this about with a wrong fingerprint.
        let repair = {
            try await phone.replica.write {
                for space in try $0.spaces.all() { try $0.rebase.repair(space.id, at: clock.wall) }
            }
        }
        try await boat.set("name", "unsigned", of: couple.track)
        try await boat.sync()
        try await phone.sync(over: silent)
        clock.advance(by: hour - 1000)
        try await repair()
        try await phone.sync(over: silent)
        #expect(try await breaches(phone).isEmpty)
        clock.advance(by: 1000)
        try await phone.sync(over: silent)
        let told = ["unsignedSets \(try await name(of: boat))"]
        #expect(try await breaches(phone) == told)
        try await repair()
        #expect(try await breaches(phone) == told)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone) == told)
    }

    @Test(arguments: ["sequence", "since", "asked", "sum"])
    func `a flipped bit does not make an honest device one that did not sign`(
        column: String
    ) async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        let silent = couple.server.altering { _ in nil }
        try await boat.set("name", "unsigned", of: couple.track)
        try await boat.sync()
        try await phone.sync(over: silent)
        // Of a time, a bit that makes it an early one.
        let bit = ["since", "asked"].contains(column) ? 40 : 5
        try await phone.flip([bit], of: column, in: "unsigned_head")
        clock.advance(by: hour / 2)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone).isEmpty)
        clock.advance(by: hour - 1000)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone).isEmpty)
        clock.advance(by: 1000)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone) == ["unsignedSets \(try await name(of: boat))"])
    }

    /// Counts the requests for single entries.
    private struct CountingTransport: Transport {
        let transport: any Transport
        let entries = Locked(0)

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            if request.path == "/v1/entries" { entries.withLock { $0 += 1 } }
            return try await transport.send(request)
        }
    }

    @Test func `a signature that never comes is asked for ever more rarely`() async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        try await boat.set("name", "unsigned", of: couple.track)
        try await boat.sync()
        let counting = CountingTransport(transport: couple.server.altering { _ in nil })
        for _ in 0..<600 {
            try await phone.sync(over: counting)
            clock.advance(by: 60_000)
        }
        #expect((5...15).contains(counting.entries.withLock { $0 }))
    }

    @Test func `a signature that reached the server after its set is asked for`() async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        let silent = couple.server.altering { _ in nil }
        try await boat.set("name", "written", of: couple.track)
        try await boat.sync()
        try await phone.sync(over: silent)
        try await phone.sync()
        clock.advance(by: 2 * hour)
        try await phone.sync(over: silent)
        #expect(try await breaches(phone).isEmpty)
    }

    @Test(arguments: [1, 3])
    func `a signature that comes within the hour covers the sets before it`(
        count: Int
    ) async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        let silent = couple.server.altering { _ in nil }
        for number in 1...count {
            try await boat.set("name", .text(Text("unsigned \(number)")), of: couple.track)
            try await boat.sync()
            try await phone.sync(over: silent)
            clock.advance(by: hour / 4)
        }
        try await boat.set("name", "signed", of: couple.track)
        try await boat.sync()
        try await phone.sync()
        clock.advance(by: 2 * hour)
        try await phone.sync()
        #expect(try await breaches(phone).isEmpty)
    }

    @Test func `a head of this replica that the server signs itself is a breach, and no clone`()
        async throws
    {
        let couple = try await Couple()
        let phone = couple.phone
        let name = try await name(of: phone)
        let key = SigningKey(seed: Secret(bytes: [UInt8](repeating: 66, count: 32)))
        let replies = Locked(0)
        let lying = LyingTransport(router: couple.server.router) { reply in
            let number = replies.withLock { replies in
                replies += 1
                return replies
            }
            guard number == 1 else { return }
            reply.held = NamedHead(
                head: ReplicaHead(sequence: 99, hash: Digest(of: [1])),
                signature: key.sign([1]),
                controls: 1
            )
        }
        try await phone.sync(over: lying)
        #expect(try await breaches(phone) == ["forgedHead \(name)"])
        // No harm is done, but verifying tells of it.
        try await phone.set("name", "written", of: couple.track)
        for device in [phone, couple.boat, phone] { try await device.sync() }
        #expect(try await couple.boat.value("name", of: couple.track) == "written")
        #expect(try await phone.fingerprint() == couple.boat.fingerprint())
        let faults = try await phone.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults.count == 1 && faults[0].contains("never signed"), "\(faults)")
    }

    @Test func `the head of a true copy of a database is no breach`() async throws {
        let couple = try await Couple()
        let phone = couple.phone
        let copy = try await TestDevice(copyOf: phone, withGuard: true)
        try await phone.set("name", "of the first", of: couple.track)
        try await phone.sync()
        let name = try await name(of: copy)
        try await copy.set("notes", "of the copy", of: couple.track)
        try await copy.sync()
        #expect(try await self.name(of: copy) != name)
        for device in [phone, couple.boat, copy] {
            try await device.sync()
            #expect(try await breaches(device).isEmpty)
            #expect(try await device.value("name", of: couple.track) == "of the first")
        }
    }

    @Test(arguments: [0, 15])
    func `who joins by a link is not shown another history than its maker had`(
        place: Int
    ) async throws {
        let couple = try await Couple()
        let good = try await couple.boat.link()
        let invitation = try #require(good.invitation)
        var hash = invitation.anchor.hash
        hash[place] ^= 1
        let anchor = Link.Anchor(index: invitation.anchor.index, hash: hash)
        let altered = Link(
            authority: good.authority,
            secret: good.secret,
            trust: good.trust,
            invitation: Link.Invitation(space: invitation.space, anchor: anchor)
        )
        let fresh = try TestDevice("fresh", couple.server)
        let head = try await couple.head()
        await #expect(throws: EnrolmentError.otherHistory) { try await fresh.join(altered) }
        #expect(try await fresh.replica.read { try $0.identity.current() }.authority == nil)
        #expect(try await couple.head() == head)
        try await fresh.join(good)
        try await fresh.sync()
        #expect(try await fresh.space() == couple.boat.space())
    }

    @Test func `C1 a revocation under a wrong clock has the server's time, where it is known`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        boat.offset.withLock { $0 = 10 * 365 * 24 * hour }
        try await boat.revoke(couple.phone)
        let now = couple.server.clock.wall.milliseconds
        let times = try await boat.replica.read { try $0.devices.listed() }.compactMap(\.revoked)
        #expect(times.map { abs($0.milliseconds - now) < hour } == [true])
    }

    @Test func `a withdrawn link lets nobody in, and its holder learns no later secret`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        let link = try await boat.link()
        let id = link.secret.keys.publicKeys.invitation
        let now = boat.moment
        try await boat.replica.write { try $0.controlSealer.withdraw([id], at: now) }
        let planned = try await boat.replica.read {
            try $0.controls.plannedChain(of: $0.spaces.own())
        }
        #expect(!planned.needsEpoch && planned.recipients[id] == nil)
        await #expect(throws: ControlError.self) {
            try await boat.replica.write { try $0.controlSealer.withdraw([id], at: now) }
        }
        try await couple.settle()
        let fresh = try TestDevice("fresh", couple.server)
        await #expect(throws: ServerProblem.self) { try await fresh.join(link) }
        try await fresh.join(try await boat.link())
        try await fresh.sync()
        try await couple.settle()
    }

    @Test func `another person's recovery code changes nothing on a device that joined`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        let bob = try TestDevice("bob", couple.server)
        try await bob.join(try await couple.server.invite())
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await bob.replica.write { try $0.controlSealer.add(code, at: bob.moment) }
        try await bob.sync()
        try await boat.set("name", "ann's", of: couple.track)
        let before = try await boat.replica.read { try $0.identity.current() }
        let own = try await boat.space()
        await #expect(throws: ReplicaError.anotherPerson(ownSpace: own)) {
            try await boat.enroller().recover(by: code, with: boat.replica, at: boat.moment)
        }
        #expect(try await boat.replica.read { try $0.identity.current() } == before)
        #expect(try await boat.space() == own)
        try await couple.settle()
        #expect(try await couple.phone.value("name", of: couple.track) == "ann's")
        // The code is good, and still Bob's.
        let again = try TestDevice("again", couple.server)
        try await again.enroller().recover(by: code, with: again.replica, at: again.moment)
        #expect(try await again.space() == bob.space())
    }
}
