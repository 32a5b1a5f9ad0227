@testable import SyncCore
import Testing

@testable import SyncServer

/// What becomes of members whose role changes, who are removed or leave, over a whole server.
@Suite struct MembersTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let cat: TestDevice
    private let club: Identifier
    private let key = Key(TrackField.collection, .id(Identifier(number: 9)), TrackField.name)

    /// Ann owns a club, Bob is in it as its editor, and Cat as its admin.
    init() async throws {
        server = try TestServer(clock: TestClock())
        let server = server
        let devices = try ["boat", "phone", "laptop"].map { try TestDevice($0, server) }
        (ann, bob, cat) = (devices[0], devices[1], devices[2])
        let owner = devices[0]
        try await owner.join(try await server.invite())
        club = try await owner.found()
        try await ann.sync()
        for (device, role) in [(bob, Role.editor), (cat, .admin)] {
            try await device.join(try await ann.invite(to: club, as: role))
            for device in [device, ann] { try await device.sync() }
        }
        try await bob.sync()
    }

    private func rename(_ name: String, by device: TestDevice) async throws {
        try await device.replica.write {
            _ = try $0.rows.write([Edit(key, .text(Text(name)))], in: club, at: device.moment)
        }
    }

    private func name(on device: TestDevice) async throws -> String? {
        try await device.replica.read { try $0.rows.cells(key.collection, key.row, in: club) }[
            key.field
        ]?
        .value.text
    }

    private func remove(_ member: TestDevice, by device: TestDevice) async throws {
        let user = try await member.user()
        try await device.replica.write {
            try $0.controlSealer.remove(user, from: club, at: device.moment)
        }
    }

    private func set(_ role: Role, of member: TestDevice, by device: TestDevice) async throws {
        let user = try await member.user()
        try await device.replica.write {
            try $0.controlSealer.setRole(of: user, to: role, in: club, at: device.moment)
        }
    }

    @Test func `who is removed keeps what they sent, gets nothing later and learns it`()
        async throws
    {
        try await rename("from Bob", by: bob)
        for device in [bob, ann] { try await device.sync() }
        try await remove(bob, by: ann)
        try await rename("from Ann", by: ann)
        try await ann.sync()
        let chain = try await ann.chain(of: club)
        #expect(chain.roles[try await bob.user()] == nil && !chain.needsEpoch)
        #expect(chain.epochs.count == 2)
        #expect(try await name(on: ann) == "from Ann")
        _ = try await ann.invite(to: club, as: .viewer)
        let told = try await bob.sync()
        #expect(told.end == .complete && told.problems.isEmpty)
        #expect(try await bob.replica.read { try $0.sharedSpaces.all() }.isEmpty)
        let events = try await bob.replica.read { try $0.events.latest() }
        #expect(events.map(\.kind) == [.ended])
        #expect(try await bob.replica.read { try $0.memberships.listed() }.isEmpty)
        #expect(try await bob.replica.read { try $0.chunks.wantedCount() } == 0)
        // Nor does the server go on from there.
        let me = try await bob.replica.read { try $0.identity.current() }
        var request = EnrolRequest()
        (request.space, request.known) = (club, chain.count)
        let later = try await bob.enroller().exchange(request, signedBy: [me.keys])
        #expect(later.controls.isEmpty)
        #expect(try await bob.sync().rounds == 1)
        #expect(try await bob.replica.read { try $0.breaches.all() }.isEmpty)
    }

    @Test func `what a removed member wrote offline is held`() async throws {
        try await rename("offline", by: bob)
        try await remove(bob, by: cat)
        for device in [cat, bob, ann] { try await device.sync() }
        #expect(try await name(on: ann) == nil)
        let kept = try await bob.value(key.field, of: Identifier(number: 9))
        #expect(kept == .text("offline"))
    }

    @Test func `a link for several people ends with a removal, in the same key epoch`() async throws
    {
        let link = try await ann.invite(to: club, as: .viewer, uses: 5)
        try await remove(bob, by: ann)
        #expect(try await ann.sync().problems.isEmpty)
        let chain = try await ann.chain(of: club)
        #expect(chain.openInvitations.isEmpty && chain.epochs.count == 2 && !chain.needsEpoch)
        let late = try TestDevice("late", server)
        await #expect(throws: ServerProblem.self) { try await late.join(link) }
    }

    @Test func `a role that falls cuts what was not sent, and one that rises lets write`()
        async throws
    {
        try await set(.viewer, of: bob, by: cat)
        try await rename("offline", by: bob)
        for device in [cat, bob, ann] { try await device.sync() }
        #expect(try await ann.chain(of: club).roles[try await bob.user()] == .viewer)
        #expect(try await name(on: ann) == nil)
        try await set(.contributor, of: bob, by: ann)
        for device in [ann, bob] { try await device.sync() }
        let track = try await bob.begin(1, samples: 10, in: club).track
        for device in [bob, ann] { try await device.sync() }
        let tracks = try await ann.replica.read { try $0.tracks.all(in: club) }
        #expect(tracks.map(\.id) == [track])
    }

    @Test func `A11 of two owners who remove each other, the first one at the server stays`()
        async throws
    {
        try await set(.owner, of: cat, by: ann)
        for device in [ann, cat, bob] { try await device.sync() }
        try await remove(cat, by: ann)
        try await remove(ann, by: cat)
        for device in [cat, ann, bob, cat] { try await device.sync() }
        let owners = try await [bob.user(): Role.editor, cat.user(): .owner]
        for device in [cat, bob] { #expect(try await device.chain(of: club).roles == owners) }
        #expect(try await ann.replica.read { try $0.spaces.all() }.allSatisfy { $0.id != club })
        for device in [ann, cat, bob] {
            #expect(try await device.replica.read { try $0.breaches.all() }.isEmpty)
        }
    }

    @Test(arguments: ["leaves", "makes a code"])
    func `a removed member who acts on a restored server locks nobody out`(
        deed: String
    ) async throws {
        let restored = try await server.copied(newEpoch: true)
        try await remove(bob, by: ann)
        for device in [ann, cat] { try await device.sync() }
        var random = SplitMix64(seed: 1)
        let code = RecoveryCode(using: &random)
        try await bob.replica.write {
            if deed == "leaves" {
                try $0.controlSealer.leave(club, at: bob.moment)
            } else {
                try $0.controlSealer.add(code, at: bob.moment)
            }
        }
        for device in [bob, ann, cat, bob, ann, cat, bob] {
            #expect(try await device.sync(over: restored.transport).end == .complete)
        }
        let user = try await bob.user()
        for device in [ann, cat] {
            #expect(try await device.chain(of: club).roles[user] == nil)
            #expect(try await device.replica.read { try $0.breaches.all() }.isEmpty)
        }
        #expect(try await ann.chain(of: club).head == cat.chain(of: club).head)
    }

    @Test func `devices do not follow a removed admin who acts on a restored server`()
        async throws
    {
        let restored = try await server.copied(newEpoch: true)
        try await remove(cat, by: ann)
        try await ann.sync()
        _ = try await cat.unsentInvitation(to: club, as: .editor, uses: 1)
        for device in [cat, ann] { _ = try await device.sync(over: restored.transport) }
        let chain = try await ann.chain(of: club)
        #expect(try await chain.roles[cat.user()] == nil && chain.openInvitations.isEmpty)
        let breaches = try await ann.replica.read { try $0.breaches.open() }
        #expect(breaches.map(\.kind) == [.revivedDevice])
    }

    @Test func `A14 who was away while the key changed twice reads and writes on`() async throws {
        try await rename("offline", by: bob)
        for other in ["late", "later"] {
            let device = try TestDevice(other, server)
            try await device.join(try await ann.invite(to: club, as: .viewer))
            for device in [device, ann] { try await device.sync() }
            try await remove(device, by: ann)
            try await ann.sync()
        }
        #expect(try await ann.chain(of: club).epochs.count == 3)
        for device in [bob, ann, cat] { #expect(try await device.sync().problems.isEmpty) }
        for device in [ann, cat] { #expect(try await name(on: device) == "offline") }
        try await rename("under the new key", by: ann)
        for device in [ann, bob] { try await device.sync() }
        #expect(try await name(on: bob) == "under the new key")
    }

    @Test func `A9 nobody governs whom their role does not, and an owner is left`() async throws {
        await #expect(throws: ControlError.self) { try await set(.owner, of: bob, by: cat) }
        await #expect(throws: ControlError.self) { try await remove(ann, by: cat) }
        await #expect(throws: ControlError.self) { try await remove(cat, by: bob) }
        await #expect(throws: ControlError.self) { try await set(.editor, of: ann, by: ann) }
        await #expect(throws: ControlError.self) {
            try await ann.replica.write { try $0.controlSealer.leave(club, at: ann.moment) }
        }
        try await set(.owner, of: cat, by: ann)
        try await ann.sync()
        try await ann.replica.write { try $0.controlSealer.leave(club, at: ann.moment) }
        #expect(try await ann.sync().problems.isEmpty)
        #expect(try await ann.replica.read { try $0.sharedSpaces.all() }.isEmpty)
    }

    @Test func `after somebody left, an admin's device begins the next key epoch`() async throws {
        try await bob.replica.write { try $0.controlSealer.leave(club, at: bob.moment) }
        #expect(try await bob.sync().problems.isEmpty)
        #expect(try await bob.replica.read { try $0.sharedSpaces.all() }.isEmpty)
        for device in [cat, ann] { try await device.sync() }
        let chain = try await ann.chain(of: club)
        #expect(chain.roles.count == 2 && chain.epochs.count == 2 && !chain.needsEpoch)
        try await rename("without Bob", by: cat)
        for device in [cat, ann] { try await device.sync() }
        #expect(try await name(on: ann) == "without Bob")
    }

    @Test func `a removal that meets another change is made again`() async throws {
        // Ann does not know yet what Bob sent and Cat changed.
        _ = try await cat.invite(to: club, as: .viewer)
        try await rename("from Bob", by: bob)
        try await bob.sync()
        try await remove(bob, by: ann)
        for _ in 0..<2 { try await ann.sync() }
        #expect(try await ann.chain(of: club).roles[try await bob.user()] == nil)
        #expect(try await name(on: ann) == "from Bob")
        for device in [cat, bob] { #expect(try await device.sync().end == .complete) }
        #expect(try await name(on: cat) == "from Bob")
    }

    @Test func `who was removed comes back by a new link`() async throws {
        try await remove(bob, by: ann)
        for device in [ann, bob] { try await device.sync() }
        try await bob.join(try await ann.invite(to: club, as: .editor))
        for device in [bob, ann, bob] { try await device.sync() }
        try await rename("back", by: bob)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await name(on: ann) == "back")
    }

    @Test func `every device of who comes back comes back`() async throws {
        let tablet = try TestDevice("tablet", server)
        try await bob.sync()
        try await tablet.join(try await bob.link())
        for device in [bob, tablet, ann] { try await device.sync() }
        try await remove(bob, by: ann)
        for device in [ann, bob, tablet] { try await device.sync() }
        #expect(try await tablet.replica.read { try $0.sharedSpaces.all() }.isEmpty)
        try await bob.join(try await ann.invite(to: club, as: .editor))
        for device in [bob, tablet] { #expect(try await device.sync().problems.isEmpty) }
        let roles = try await tablet.replica.read { try $0.sharedSpaces.all() }.map(\.role)
        #expect(roles == [.editor])
        try await rename("from the tablet", by: tablet)
        for device in [tablet, ann] { try await device.sync() }
        #expect(try await name(on: ann) == "from the tablet")
    }

    @Test func `a lost decision is not made again over a later one`() async throws {
        try await set(.contributor, of: bob, by: cat)
        // Another one of Ann comes first, so that Cat's is stale.
        try await set(.viewer, of: bob, by: ann)
        for device in [ann, cat, ann] { try await device.sync() }
        for device in [ann, cat] {
            #expect(try await device.chain(of: club).roles[try await bob.user()] == .viewer)
        }
    }

    @Test func `only its author repeats a rise that a server lost`() async throws {
        try await set(.viewer, of: bob, by: ann)
        for device in [ann, cat] { try await device.sync() }
        let image = try await TestDevice(copyOf: ann, withGuard: true)
        let restored = try await server.copied(newEpoch: true)
        try await set(.editor, of: bob, by: ann)
        for device in [ann, cat] { try await device.sync() }
        // Another control set takes the place of the rise.
        _ = try await image.unsentInvitation(to: club, as: .viewer, uses: 1)
        try await image.sync(over: restored.transport)
        let user = try await bob.user()
        for (device, role) in [(cat, Role.viewer), (ann, .editor)] {
            for _ in 0..<3 { try await device.sync(over: restored.transport) }
            #expect(try await restored.store.chain(of: club)?.roles[user] == role)
        }
    }

    @Test func `who was removed before the first sync learns it too`() async throws {
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await server.invite())
        try await tablet.join(try await ann.invite(to: club, as: .viewer))
        try await ann.sync()
        try await remove(tablet, by: ann)
        try await ann.sync()
        let told = try await tablet.sync()
        #expect(told.end == .complete && told.problems.isEmpty)
        #expect(try await tablet.replica.read { try $0.sharedSpaces.all() }.isEmpty)
    }

    @Test func `an owner of two gives up the role though a link is open`() async throws {
        try await set(.owner, of: cat, by: ann)
        _ = try await ann.invite(to: club, as: .viewer, uses: 3)
        try await set(.editor, of: ann, by: ann)
        for device in [ann, cat, ann] { #expect(try await device.sync().problems.isEmpty) }
        let chain = try await ann.chain(of: club)
        #expect(chain.roles[try await ann.user()] == .editor)
        #expect(chain.openInvitations.isEmpty && !chain.needsEpoch)
    }

    @Test func `the members are listed by role, with their devices`() async throws {
        let space = club
        let all = try await bob.replica.read { try $0.members.all(in: space) }
        #expect(all.map(\.role) == [.owner, .admin, .editor])
        #expect(all.map(\.devices) == [["boat"], ["laptop"], ["phone"]])
        #expect(all.map(\.isSelf) == [false, false, true])
    }

    @Test func `who never was in a space learns nothing of it`() async throws {
        let stranger = try TestDevice("stranger", server)
        try await stranger.join(try await server.invite())
        let space = club
        let enroller = stranger.enroller()
        let (replica, now) = (stranger.replica, stranger.moment)
        await #expect(throws: ServerProblem.self) {
            try await enroller.learnEnd(of: space, with: replica, at: now)
        }
        // Nor who only claims to be a former member.
        try await remove(bob, by: ann)
        try await ann.sync()
        let former = try await bob.replica.read { try $0.identity.current() }.device
        let keys = try await replica.read { try $0.identity.current() }.keys
        var request = EnrolRequest()
        request.space = space
        await #expect(throws: ServerProblem.self) {
            try await enroller.exchange(request, signedBy: [keys], as: [former])
        }
    }
}
