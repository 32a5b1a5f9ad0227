import Harness
@testable import SyncCore
import Testing

@testable import SyncServer

/// A space that two people share, over a whole server.
@Suite struct SharedSpaceTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let track = Identifier(number: 9)

    /// Ann has joined the server; Bob has not.
    init() async throws {
        server = try TestServer(clock: TestClock())
        (ann, bob) = (try TestDevice("boat", server), try TestDevice("phone", server))
        try await ann.join(try await server.invite())
    }

    private func rename(_ name: Value, by device: TestDevice, in space: Identifier) async throws {
        let key = Key(TrackField.collection, .id(track), TrackField.name)
        try await write(key, name, by: device, in: space)
    }

    private func write(
        _ key: Key,
        _ value: Value = .text("x"),
        by device: TestDevice,
        in space: Identifier
    ) async throws {
        try await device.replica.write {
            _ = try $0.rows.write([Edit(key, value)], in: space, at: device.moment)
        }
    }

    private func value(
        of key: Key,
        on device: TestDevice,
        in space: Identifier
    ) async throws -> Value? {
        try await device.replica.read {
            try $0.rows.cells(key.collection, key.row, in: space)
        }[key.field]?
        .value
    }

    private func name(on device: TestDevice, in space: Identifier) async throws -> Value? {
        let key = Key(TrackField.collection, .id(track), TrackField.name)
        return try await value(of: key, on: device, in: space)
    }

    private func fingerprint(_ device: TestDevice, _ space: Identifier) async throws -> Fingerprint
    {
        let all = try await device.replica.read { try $0.spaces.all() }
        return try unwrapped(all.first { $0.id == space }).fingerprint
    }

    @Test func `a space founded offline is hosted at the next sync`() async throws {
        let space = try await ann.found()
        try await rename(.text("race"), by: ann, in: space)
        let result = try await ann.sync()
        #expect(result.end == .complete && result.problems.isEmpty, "\(result)")
        let known = try await server.store.chain(of: space)
        #expect(known?.kind == .shared && known?.count == 1)
        // The founding, the name of the space and the device, and the track.
        let device = try await ann.replica.read { try $0.identity.current() }.device
        let page = try await server.store.page(of: space, after: 0, for: device, byteLimit: .max)
        #expect(page.head >= 2)
        #expect(try await ann.sync().end == .complete)
    }

    @Test func `a person who joins by a link sees the same and keeps the own space`() async throws {
        let space = try await ann.found()
        try await rename(.text("race"), by: ann, in: space)
        let own = try await bob.space()
        let link = try await ann.invite(to: space)
        #expect(try await bob.enroller().join(link, with: bob.replica, at: bob.moment) == space)
        let result = try await bob.sync()
        #expect(result.end == .complete && result.problems.isEmpty, "\(result)")
        #expect(try await bob.space() == own)
        #expect(try await name(on: bob, in: space) == .text("race"))
        #expect(try await name(on: bob, in: own) == nil)
        // The server hosts Bob's own space because he is in another one.
        #expect(try await server.store.chain(of: own)?.count == 1)
        try await rename(.text("regatta"), by: bob, in: space)
        for device in [bob, ann, bob] { try await device.sync() }
        #expect(try await name(on: ann, in: space) == .text("regatta"))
        let prints = (try await fingerprint(ann, space), try await fingerprint(bob, space))
        #expect(prints.0 == prints.1)
        let page = try await server.service.views.fingerprint(of: space, at: 1)
        #expect(page != prints.0)
        // The same link again changes nothing.
        #expect(try await bob.enroller().join(link, with: bob.replica, at: bob.moment) == space)
        #expect(try await bob.sync().end == .complete)
    }

    @Test func `a link is good for as many as it says`() async throws {
        let space = try await ann.found()
        let link = try await ann.invite(to: space, as: .viewer, uses: 2)
        let others = [bob, try TestDevice("tablet", server), try TestDevice("late", server)]
        for device in others.prefix(2) {
            try await device.join(link)
            #expect(try await device.sync().end == .complete)
        }
        await #expect(throws: ServerProblem.self) { try await others[2].join(link) }
        #expect(try await bob.chain(of: space).members.count <= 3)
        try await ann.sync()
        #expect(try await ann.chain(of: space).roles.values.sorted() == [.viewer, .viewer, .owner])
    }

    @Test func `a viewer's change is refused, and nobody sees it`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space, as: .viewer))
        try await bob.sync()
        try await rename(.text("mine"), by: bob, in: space)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await name(on: ann, in: space) == nil)
    }

    @Test func `what a viewer may not write takes nothing else with it`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space, as: .viewer))
        try await bob.sync()
        try await rename(.text("mine"), by: bob, in: space)
        let user = try await bob.user()
        let setting = Key(CollectionSchema.setting.name, .user(user), "units")
        try await write(setting, by: bob, in: space)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await name(on: ann, in: space) == nil)
        #expect(try await value(of: setting, on: ann, in: space) == .text("x"))
        let refused = try await bob.replica.read { try $0.rejected.all() }
        let keys = refused.flatMap { $0.changes ?? [] }.map(\.key)
        #expect(keys == [Key(TrackField.collection, .id(track), TrackField.name)])
    }

    @Test func `what only others may write takes nothing else with it`() async throws {
        let unknown = Key(CollectionSchema.device.name, .id(Identifier(number: 77)), "name")
        let own = try await ann.replica.read { try $0.spaces.own() }
        // As after a set of a device whose card the present chain does not have.
        try await ann.replica.write {
            let space = try $0.spaces.number(ofSpace: own)
            let row = try $0.rows.open(space, unknown.collection, unknown.row)
            let cell = Cell(stamp: Stamp(time: 1 << 16, replica: .zero), value: .text("x"))
            try $0.unsealed.put(row.number, unknown.field, Unsent(cell))
        }
        try await rename(.text("mine"), by: ann, in: own)
        try await ann.sync()
        #expect(try await name(on: ann, in: own) == .text("mine"))
        #expect(try await value(of: unknown, on: ann, in: own) == nil)
        let refused = try await ann.replica.read { try $0.rejected.all() }
        #expect(refused.flatMap { $0.changes ?? [] }.map(\.key) == [unknown])
    }

    @Test func `a second device founds a space once the first has vouched for it`() async throws {
        let second = try TestDevice("laptop", server)
        try await second.join(try await ann.link())
        await #expect(throws: ReplicaError.notVouched) { try await second.found() }
        // The one that made the link sees the newcomer, and vouches once it shares a space.
        _ = try await ann.found()
        for device in [ann, ann, second] { try await device.sync() }
        let space = try await second.found()
        #expect(try await second.sync().problems.isEmpty)
        #expect(try await server.store.chain(of: space)?.user == (try await ann.user()))
        try await bob.join(try await second.invite(to: space))
        #expect(try await bob.sync().problems.isEmpty)
    }

    @Test func `a device that shares a space does not become another one`() async throws {
        _ = try await ann.found()
        let link = try await server.invite()
        await #expect(throws: ReplicaError.sharing) {
            try await ann.enroller().rejoin(link, with: ann.replica, at: ann.moment)
        }
        #expect(try await ann.sync().problems.isEmpty)
    }

    @Test func `who was removed and is invited again is no revived device`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space))
        for device in [bob, ann] { try await device.sync() }
        try await removeEditor(in: space)
        try await ann.sync()
        #expect(try await bob.sync().problems.isEmpty)
        #expect(try await bob.replica.read { try $0.sharedSpaces.all() }.isEmpty)
        try await bob.join(try await ann.invite(to: space))
        for device in [bob, ann, bob] { #expect(try await device.sync().problems.isEmpty) }
        for device in [ann, bob] {
            #expect(try await device.replica.read { try $0.breaches.all() } == [])
            #expect(try await device.chain(of: space).roles.count == 2)
        }
        try await rename(.text("back"), by: bob, in: space)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await name(on: ann, in: space) == .text("back"))
    }

    /// Seals the removal of the member who is an editor, as of one whose sets do not count at all.
    private func removeEditor(in space: Identifier) async throws {
        try await ann.replica.write {
            let user = try $0.controls.chain(of: space).roles.first { $0.value == .editor }?.key
            let plan = ControlPlan([
                .remove(
                    ControlAction.Removal(user: try unwrapped(user), cuts: [], isRetroactive: true)
                )
            ])
            try $0.controlSealer.seal(
                plan,
                in: try $0.spaces.number(ofSpace: space),
                at: ann.moment.wall
            )
        }
    }

    @Test func `a member is removed though nothing else is stored any more`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space))
        for device in [bob, ann] { try await device.sync() }
        let full = try await server.copied(newEpoch: false, reserveByteCount: 1 << 60)
        try await removeEditor(in: space)
        try await ann.sync(over: full.transport)
        #expect(try await full.store.chain(of: space)?.roles.values.sorted() == [.owner])
        try await rename(.text("too much"), by: ann, in: space)
        #expect(try await ann.sync(over: full.transport).pushed == 0)
    }

    @Test func `nobody writes again what only others may write`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space))
        for device in [bob, ann, bob] { try await device.sync() }
        var devices: [Identifier] = []
        for device in [ann, bob] {
            devices.append(try await device.replica.read { try $0.identity.current() }.device)
        }
        let keys =
            devices.map { Key(CollectionSchema.device.name, .id($0), "name") }
            + [SpaceField.key, Key(TrackField.collection, .id(track), TrackField.name)]
        for (device, expected) in [
            (ann, [false, true, false, false]), (bob, [true, false, true, false]),
        ] {
            let foreign = try await device.replica.read { parts in
                let number = try parts.spaces.number(ofSpace: space)
                let permissions = try parts.controls.permissions(inSpace: number)
                let stamp = Stamp(time: 1, replica: .zero)
                return keys.map {
                    let change = Change(key: $0, cell: Cell(stamp: stamp, value: .text("x")))
                    return permissions.of(change, isMaker: false) != .allowed
                }
            }
            #expect(foreign == expected)
        }
    }

    @Test func `what only an admin may write is named when a server lost it`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space))
        for device in [bob, ann, bob] { try await device.sync() }
        let image = try await TestDevice(copyOf: ann, withGuard: true)
        let restored = try await server.copied(newEpoch: true)
        _ = try await ann.invite(to: space)
        try await ann.replica.write {
            try $0.sharedSpaces.rename(space, "rowers", at: ann.moment)
        }
        for device in [ann, bob] { try await device.sync() }
        // Another control set takes the place of the one that the name's set names.
        _ = try await image.unsentInvitation(to: space, as: .viewer, uses: 1)
        try await image.sync(over: restored.transport)
        for _ in 0..<3 { try await bob.sync(over: restored.transport) }
        let told = try await bob.replica.read { try $0.events.last(.leftOut) }
        #expect(told?.detail.contains("space/name") == true, "\(String(describing: told))")
        #expect(try await bob.replica.read { try $0.rejected.all() }.isEmpty)
    }

    @Test func `several spaces that are founded offline are hosted by one sync`() async throws {
        let spaces = [try await ann.found(), try await ann.found()]
        #expect(try await ann.sync().problems.isEmpty)
        for space in spaces { #expect(try await server.store.chain(of: space) != nil) }
    }

    @Test func `an invitation that was stale keeps its role and uses`() async throws {
        let space = try await ann.found()
        try await bob.join(try await ann.invite(to: space, as: .admin))
        for device in [bob, ann] { try await device.sync() }
        let draft = try await ann.unsentInvitation(to: space, as: .viewer, uses: 3)
        // Another control set comes first.
        _ = try await bob.invite(to: space, as: .editor)
        for _ in 0..<2 { try await ann.sync() }
        let id = draft.secret.keys.publicKeys.invitation
        let known = try await ann.chain(of: space).openInvitations[id]?.invitation
        #expect(known?.role == .member(.viewer) && known?.uses == 3)
    }

    @Test func `a space of another server is not mixed in`() async throws {
        let space = try await ann.found()
        let link = try await ann.invite(to: space)
        try await bob.join(try await server.invite())
        try await bob.replica.write {
            try $0.database.run("UPDATE self SET authority = 'elsewhere:1'")
        }
        await #expect(throws: ReplicaError.alreadyJoined(authority: "elsewhere:1")) {
            try await bob.join(link)
        }
        #expect(try await bob.replica.read { try $0.spaces.all() }.count == 1)
    }
}
