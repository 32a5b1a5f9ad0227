@testable import SyncCore
import Testing

@testable import SyncServer

/// Held work of a club's member, which an admin adopts or declines, over a whole server.
@Suite struct AdoptionTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let cat: TestDevice
    private let club: Identifier

    /// Ann owns a club, in which Bob is an editor and Cat a viewer.
    init() async throws {
        (server, ann, bob, club) = try await TestServer.withClub(letting: .editor)
        cat = try TestDevice("watch", server)
        try await cat.join(try await ann.invite(to: club, as: .viewer))
        for device in [cat, ann, bob, cat] { try await device.sync() }
    }

    /// Bob records offline, while Ann makes him a viewer or removes him; his track is held.
    private func hold(_ role: Role? = .viewer) async throws {
        let recording = try await bob.begin(1, samples: 50, in: club)
        try await bob.replica.write { try $0.recordings.stop(recording, at: bob.moment) }
        let user = try await bob.user()
        try await ann.replica.write {
            if let role {
                try $0.controlSealer.setRole(of: user, to: role, in: club, at: ann.moment)
            } else {
                try $0.controlSealer.remove(user, from: club, at: ann.moment)
            }
        }
        try await ann.sync()
        for _ in 0..<2 { try await bob.sync() }
    }

    /// What an admin sees of the held sets.
    private func held(for device: TestDevice) async throws -> [RejectedChangeSet] {
        let entries = try await device.client(server.transport).held(in: club)
        return try await device.replica.read { try $0.rejected.held(among: entries, in: club) }
    }

    private func decide(
        _ decision: ControlChain.HeldDecision,
        on sets: [RejectedChangeSet]
    ) async throws {
        try await ann.replica.write {
            try $0.controlSealer.decide(
                decision,
                on: sets.map(\.reference),
                in: club,
                at: ann.moment
            )
        }
    }

    private func tracks(of device: TestDevice) async throws -> Int {
        try await device.replica.read { try $0.tracks.all(in: club) }.count
    }

    private func fingerprint(of device: TestDevice) async throws -> Fingerprint? {
        try await device.replica.read { try $0.spaces.all() }.first { $0.id == club }?.fingerprint
    }

    /// Checks that devices have the same tracks and the server's state, and accuse nobody.
    private func expectEqual(
        _ devices: [TestDevice],
        tracks count: Int,
        at server: TestServer
    ) async throws {
        let head = try await server.store.page(of: club, after: 0, for: nil, byteLimit: 1).head
        let expected = try await server.service.views.fingerprint(of: club, at: head)
        #expect(expected != nil)
        for device in devices {
            #expect(try await fingerprint(of: device) == expected, "\(device)")
            #expect(try await tracks(of: device) == count)
            #expect(try await device.replica.read { try $0.breaches.all() }.isEmpty)
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults.isEmpty)
        }
    }

    @Test func `what a demoted member recorded offline counts once an admin adopts it`()
        async throws
    {
        try await hold()
        #expect(try await tracks(of: ann) == 0)
        let states = try await bob.replica.read { try $0.rejected.all() }.map(\.state)
        #expect(!states.isEmpty && states.allSatisfy { $0 == .held(reason: "cut") })
        let sets = try await held(for: ann)
        #expect(sets.allSatisfy { $0.state == .held(reason: "cut") && $0.changes != nil })
        try await decide(.adopted, on: sets)
        for device in [ann, bob, cat] { try await device.sync() }
        try await expectEqual([ann, bob, cat], tracks: 1, at: server)
        #expect(try await bob.replica.read { try $0.rejected.all() }.isEmpty)
        #expect(try await held(for: ann).isEmpty)
        let newcomer = try TestDevice("tablet", server)
        try await newcomer.join(try await ann.invite(to: club, as: .viewer))
        for device in [newcomer, ann, newcomer] { try await device.sync() }
        try await expectEqual([newcomer], tracks: 1, at: server)
    }

    @Test func `A1 what a removed member recorded offline counts once an admin adopts it`()
        async throws
    {
        try await hold(nil)
        try await decide(.adopted, on: try await held(for: ann))
        for device in [ann, cat] { try await device.sync() }
        try await expectEqual([ann, cat], tracks: 1, at: server)
        #expect(try await bob.replica.read { try $0.spaces.all() }.allSatisfy { $0.id != club })
    }

    @Test func `an author is told that an admin declined, and can write it again`() async throws {
        try await hold()
        try await decide(.declined, on: try await held(for: ann))
        for device in [ann, bob, cat] { try await device.sync() }
        let rejected = try await bob.replica.read { try $0.rejected.all() }
        #expect(rejected.map(\.state).allSatisfy { $0 == .refused(reason: "declined") })
        #expect(!rejected.isEmpty)
        try await expectEqual([ann, bob, cat], tracks: 0, at: server)
        let user = try await bob.user()
        try await ann.replica.write {
            try $0.controlSealer.setRole(of: user, to: .editor, in: club, at: ann.moment)
        }
        for device in [ann, bob] { try await device.sync() }
        for set in rejected {
            _ = try await bob.replica.write { try $0.rejected.retry(set, at: bob.moment) }
        }
        for device in [bob, ann, cat] { try await device.sync() }
        try await expectEqual([ann, bob, cat], tracks: 1, at: server)
    }

    @Test func `what a demoted member may still write is written again unasked`() async throws {
        try await hold(.contributor)
        for device in [bob, ann, cat] { try await device.sync() }
        #expect(try await bob.replica.read { try $0.rejected.all() }.isEmpty)
        try await expectEqual([ann, bob, cat], tracks: 1, at: server)
        let states = try await held(for: ann).map(\.state)
        #expect(Set(states) == [.held(reason: "superseded")])
    }

    @Test func `held work is written again when its author gets a role that allows it`()
        async throws
    {
        try await hold()
        #expect(try await bob.replica.read { try $0.rejected.all() }.isEmpty == false)
        let user = try await bob.user()
        try await ann.replica.write {
            try $0.controlSealer.setRole(of: user, to: .contributor, in: club, at: ann.moment)
        }
        for device in [ann, bob, ann, cat] { try await device.sync() }
        #expect(try await bob.replica.read { try $0.rejected.all() }.isEmpty)
        try await expectEqual([ann, bob, cat], tracks: 1, at: server)
    }

    @Test func `two admins who decide alike at once leave one decision`() async throws {
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await ann.link())
        for device in [tablet, ann, tablet] { try await device.sync() }
        try await hold()
        try await tablet.sync()
        let sets = try await held(for: ann)
        for device in [ann, tablet] {
            try await device.replica.write {
                let references = sets.map(\.reference)
                try $0.controlSealer.decide(
                    .adopted,
                    on: references,
                    in: club,
                    at: device.moment
                )
            }
        }
        for device in [ann, tablet, ann, bob, cat, tablet] { try await device.sync() }
        try await expectEqual([ann, tablet, bob, cat], tracks: 1, at: server)
        let chain = try await ann.chain(of: club)
        #expect(chain.decisions.count == sets.count)
    }

    @Test func `a log that is merged again has what was adopted`() async throws {
        try await hold()
        try await decide(.adopted, on: try await held(for: ann))
        for device in [ann, cat] { try await device.sync() }
        for device in [ann, cat] {
            try await device.replica.write {
                try $0.rebase.repair(club, at: device.moment.wall)
            }
            #expect(try await tracks(of: device) == 1, "it is never gone")
            try await device.sync()
        }
        try await expectEqual([ann, cat], tracks: 1, at: server)
    }

    @Test func `a restored server that lost the held sets and the decision gets both back`()
        async throws
    {
        let restored = try await server.copied(newEpoch: true)
        try await hold()
        let sets = try await held(for: ann)
        try await decide(.adopted, on: sets)
        for device in [ann, bob, cat] { try await device.sync() }
        for _ in 0..<3 {
            for device in [cat, ann, bob] { try await device.sync(over: restored.transport) }
        }
        try await expectEqual([ann, bob, cat], tracks: 1, at: restored)
        // Their receipts prove that the server judged them before.
        let page = try await restored.store.page(of: club, after: 0, for: nil, byteLimit: .max)
        let logged = try page.entries.map { try ParsedEntry($0) }
            .filter { entry in sets.contains { $0.hash == entry.upload.hash } }
        #expect(logged.map(\.verdict) == sets.map { _ in .held })
    }

    @Test func `a decision that another control set displaced is made again`() async throws {
        try await hold()
        let image = try await TestDevice(copyOf: ann, withGuard: true)
        let restored = try await server.copied(newEpoch: true)
        try await decide(.adopted, on: try await held(for: ann))
        for device in [ann, bob, cat] { try await device.sync() }
        _ = try await image.unsentInvitation(to: club, as: .viewer, uses: 1)
        try await image.sync(over: restored.transport)
        for _ in 0..<3 {
            for device in [cat, bob, ann] { try await device.sync(over: restored.transport) }
        }
        #expect(try await ann.chain(of: club).invitations.count > 2)
        try await expectEqual([ann, bob, cat], tracks: 1, at: restored)
    }

    @Test func `what was adopted counts no more where another admin's decline displaced that`()
        async throws
    {
        try await hold()
        let image = try await TestDevice(copyOf: ann, withGuard: true)
        let restored = try await server.copied(newEpoch: true)
        let sets = try await held(for: ann)
        try await decide(.adopted, on: sets)
        for device in [ann, bob, cat] { try await device.sync() }
        try await image.replica.write {
            try $0.controlSealer.decide(
                .declined,
                on: sets.map(\.reference),
                in: club,
                at: image.moment
            )
        }
        try await image.sync(over: restored.transport)
        for _ in 0..<3 {
            for device in [cat, bob, ann] { try await device.sync(over: restored.transport) }
        }
        try await expectEqual([ann, bob, cat], tracks: 0, at: restored)
    }

    @Test func `a body that the server lost comes back from its author`() async throws {
        try await hold()
        let sets = try await held(for: ann)
        try server.damage("UPDATE log SET body = NULL WHERE verdict = 1")
        try await decide(.adopted, on: sets)
        try await ann.sync()
        #expect(try await cat.sync().missing == sets.count)
        for device in [bob, cat, ann] { try await device.sync() }
        try await expectEqual([ann, bob, cat], tracks: 1, at: server)
    }

    @Test func `an admin is told which set would not count even if it was adopted`() async throws {
        let foreign = try await ann.id()
        try await bob.replica.write {
            let edit = Edit(
                Key(CollectionSchema.device.name, .id(foreign), DeviceField.name),
                .text("Bob's")
            )
            try $0.rows.apply([edit], in: $0.spaces.number(ofSpace: club), at: bob.moment)
        }
        try await hold(nil)
        let sets = try await held(for: ann)
        #expect(sets.contains { $0.state == .unadoptable(.notAllowed) })
        let able = sets.filter { $0.state == .held(reason: "cut") }
        try await decide(.adopted, on: able)
        try await decide(.declined, on: sets.filter { !able.contains($0) })
        for device in [ann, cat] { try await device.sync() }
        #expect(try await held(for: ann).isEmpty)
        try await expectEqual([ann, cat], tracks: 1, at: server)
    }

    @Test func `of one set the part is written again that the new role allows`() async throws {
        let track = try await ann.begin(2, samples: 20, in: club)
        try await ann.replica.write { try $0.recordings.stop(track, at: ann.moment) }
        for device in [ann, bob, cat] { try await device.sync() }
        try await bob.replica.write {
            let edit = Edit(track.track, TrackField.name, .text("Bob's name for it"))
            try $0.rows.write([edit], in: club, at: bob.moment)
        }
        try await hold(.contributor)
        for device in [bob, ann, cat] { try await device.sync() }
        try await expectEqual([ann, bob, cat], tracks: 2, at: server)
        #expect(try await name(of: track.track, on: ann) == "track 2")
        // The rest waits, and counts once an admin adopts it.
        #expect(try await bob.replica.read { try $0.rejected.all() }.count == 1)
        try await decide(.adopted, on: try await held(for: ann))
        for device in [ann, bob, cat] { try await device.sync() }
        try await expectEqual([ann, bob, cat], tracks: 2, at: server)
        #expect(try await name(of: track.track, on: cat) == "Bob's name for it")
    }

    private func name(of track: Identifier, on device: TestDevice) async throws -> String? {
        try await device.replica.read { try $0.tracks.find(track, in: club) }?.name
    }

    @Test func `a view whose control set was damaged for a while counts what was adopted`()
        async throws
    {
        try await hold()
        try await decide(.adopted, on: try await held(for: ann))
        try await ann.sync()
        await server.service.views.rebuild(club)
        // The control set before the adoption, which then cannot follow.
        try server.damage(
            """
            UPDATE log SET body = NULL WHERE space_id = x'\(club.bytes.hexadecimal)'
                AND position = (SELECT position FROM control_set c
                    WHERE c.space_id = log.space_id ORDER BY place DESC LIMIT 1 OFFSET 1)
            """
        )
        for device in [cat, ann, bob, ann, cat] { try await device.sync() }
        try await expectEqual([ann, bob, cat], tracks: 1, at: server)
    }
}
