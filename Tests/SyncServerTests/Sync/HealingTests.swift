import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

/// A server that lost its history, or part of it, and the devices that make it whole again.
@Suite struct HealingTests {
    private let track = Identifier(number: 42)

    /// One person's devices, all joined and in step.
    private func fleet(_ names: [String], _ server: TestServer) async throws -> [TestDevice] {
        let first = try TestDevice(names[0], server)
        try await first.join(try await server.invite())
        try await first.sync()
        var devices = [first]
        for name in names.dropFirst() {
            let device = try TestDevice(name, server)
            try await device.join(try await first.link())
            try await device.sync()
            devices.append(device)
        }
        return devices
    }

    /// Syncs every device with a server until each was there twice after the others.
    private func settle(_ devices: [TestDevice], with server: TestServer) async throws {
        for _ in 0..<3 {
            for device in devices {
                let result = try await device.sync(over: RouterTransport(router: server.router))
                #expect(result.end == .complete, "\(result)")
                #expect(result.repaired == 0 && result.mismatches == 0, "\(result)")
            }
        }
    }

    /// - Parameter hasNewEpoch: whether the devices know that the server began another epoch; if not, they
    ///   tell of two histories.
    private func expectEqual(
        _ devices: [TestDevice],
        _ server: TestServer,
        hasNewEpoch: Bool = true
    ) async throws {
        let space = try await devices[0].space()
        let first = try await devices[0].fingerprint()
        var told = 0
        for device in devices {
            #expect(try await device.fingerprint() == first)
            #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
            #expect(try await !device.replica.read { try $0.backfill.hasOrphans(in: space) })
            let breaches = try await device.replica.read { try $0.breaches.all() }
            // The last ones find the log as it was, because the first ones have refilled it.
            #expect(breaches.allSatisfy { !hasNewEpoch && $0.kind == .twoHistories })
            told += breaches.count
            let faults = try await device.replica.read { try $0.maintenance.verify() }.faults
            #expect(faults == breaches.map(\.description))
            for field in ["name", "sport", "notes", "gear"] as [Text] {
                let value = try await device.value(field, of: track)
                #expect(try await devices[0].value(field, of: track) == value)
            }
        }
        #expect(hasNewEpoch == (told == 0))
        let head = try await server.store.page(of: space, after: 0, for: nil, byteLimit: 1).head
        #expect(try await server.service.views.fingerprint(of: space, at: head) == first)
    }

    @Test(arguments: [true, false])
    func `S1 S2 a server put back to last week is whole again after its devices synced`(
        hasNewEpoch: Bool
    ) async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone", "laptop", "watch", "tablet"], server)
        try await devices[0].set("name", .text("before the backup"), of: track)
        try await settle(devices, with: server)
        let restored = try await server.copied(newEpoch: hasNewEpoch)
        server.clock.advance(by: 7 * 24 * 3_600_000)
        try await devices[1].set("sport", .text("sail"), of: track)
        try await settle(devices, with: server)
        try await devices[2].set("notes", .text("after it"), of: track)
        try await devices[2].sync()
        try await devices[3].sync()
        // Not sent when the server was put back.
        try await devices[4].set("gear", .text("kite"), of: track)
        try await settle(devices, with: restored)
        try await expectEqual(devices, restored, hasNewEpoch: hasNewEpoch)
        for device in devices {
            #expect(try await device.value("name", of: track) == .text("before the backup"))
            #expect(try await device.value("sport", of: track) == .text("sail"))
            #expect(try await device.value("notes", of: track) == .text("after it"))
            #expect(try await device.value("gear", of: track) == .text("kite"))
        }
    }

    /// A set of a device that waits for an admin, as the device's next one.
    private func hold(_ device: TestDevice, _ server: TestServer) async throws -> SetReference {
        try await device.set("notes", .text("held"), of: track)
        try await device.replica.write { try $0.sealer.seal(at: device.moment) }
        let bytes = try #require(try await device.replica.read { try $0.queue.ownItems() }.last)
        let item = try PushItem(decoding: bytes[...])
        let upload = try Upload(parsing: item.upload)
        let set = PushedSet(
            upload: upload,
            body: item.body ?? [],
            content: .unusable(.held, reason: "quota"),
            chunks: [:]
        )
        let author = try #require(try await server.store.device(upload.header.device))
        _ = try await server.store.append(
            [set],
            to: upload.header.space,
            by: author,
            at: server.clock.wall
        )
        return SetReference(of: upload)
    }

    @Test func `S2 an adoption that the backup lacks is made again`() async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        let held = try await hold(devices[0], server)
        try await settle(devices, with: server)
        let restored = try await server.copied(newEpoch: true)
        let (space, now) = (try await devices[0].space(), devices[0].moment)
        try await devices[0].replica.write {
            try $0.controlSealer.decide(.adopted, on: [held], in: space, at: now)
        }
        try await settle(devices, with: server)
        #expect(try await devices[1].value("notes", of: track) == .text("held"))
        try await settle(devices, with: restored)
        try await expectEqual(devices, restored)
        for device in devices {
            #expect(try await device.value("notes", of: track) == .text("held"))
            #expect(try await device.replica.read { try $0.rejected.all() }.isEmpty)
        }
    }

    @Test func `S3 a wiped server that kept its key is whole again after its devices synced`()
        async throws
    {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone", "laptop"], server)
        for (device, field) in zip(devices, ["name", "sport", "notes"] as [Text]) {
            try await device.set(field, .text("kept"), of: track)
        }
        try await settle(devices, with: server)
        try await devices[0].set("gear", .text("kite"), of: track)
        let empty = try TestServer(clock: server.clock)
        let transport = RouterTransport(router: empty.router)
        let result = try await devices[0].sync(over: transport)
        #expect(result.isReadmitted)
        #expect(result.refilled > 0)
        try await settle(devices, with: empty)
        try await expectEqual(devices, empty)
        for device in devices {
            #expect(try await device.value("notes", of: track) == .text("kept"))
            #expect(try await device.value("gear", of: track) == .text("kite"))
        }
    }

    @Test func `S13 nothing is shown as lost while a new log is taken`() async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        try await devices[0].set("name", .text("seen"), of: track)
        try await settle(devices, with: server)
        try await devices[1].set("notes", .text("unsent"), of: track)
        let space = try await devices[1].space()
        let before = try await devices[1].replica.read {
            try $0.rows.cells("track", .id(track), in: space)
        }
        try await devices[1].replica.write {
            try $0.rebase.startOver(space, at: devices[1].moment.wall)
        }
        let after = try await devices[1].replica.read {
            try $0.rows.cells("track", .id(track), in: space)
        }
        #expect(after.mapValues(\.value) == before.mapValues(\.value))
        #expect(try await devices[1].fingerprint() == Fingerprint())
    }

    @Test func `S12 a revoked device does not come back to a wiped server`() async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        let phone = try await devices[1].replica.read { try $0.identity.current() }.device
        let empty = try TestServer(clock: server.clock)
        try await empty.store.replayRevocations([phone])
        let result = try await devices[1].sync(over: RouterTransport(router: empty.router))
        guard case .refused(let refusal) = result.end else {
            Issue.record("\(result)")
            return
        }
        #expect(refusal.type == .unauthorized)
    }

    @Test func `S3 a server that lost its key too gets everything from devices that join again`()
        async throws
    {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone", "lost"], server)
        for (device, field) in zip(devices, ["name", "sport", "notes"] as [Text]) {
            try await device.set(field, .text("kept"), of: track)
        }
        let metric = Setting.metric.key
        let me = try await devices[0].replica.read { try $0.identity.current() }
        for scope in [Row.user(me.user), Row.device(me.device)] {
            let edit = Edit(Key(Setting.collection, scope, metric), .bool(false))
            try await devices[0].replica.write {
                try $0.rows.write([edit], in: try $0.spaces.own(), at: devices[0].moment)
            }
        }
        try await settle(devices, with: server)
        try await devices[1].set("gear", .text("kite"), of: track)
        let (boat, phone) = (devices[0], devices[1])
        // The last set of a replica may be a control set, whose own signature covers the others.
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        try await boat.sync()
        let other = try TestServer(clock: server.clock, master: 8)
        let transport = RouterTransport(router: other.router)
        try await boat.enroller(transport)
            .rejoin(try await other.invite(), with: boat.replica, at: boat.moment)
        let first = try await boat.sync(over: transport)
        #expect(first.end == .complete && first.problems.isEmpty, "\(first)")
        let link = try await boat.unsentLink()
        try await boat.sync(over: transport)
        try await phone.enroller(transport)
            .rejoin(link, with: phone.replica, at: phone.moment)
        try await settle([boat, phone], with: other)
        try await expectEqual([boat, phone], other)
        #expect(try await other.findings() == [])
        for field in ["name", "sport", "notes"] as [Text] {
            #expect(try await phone.value(field, of: track) == .text("kept"))
        }
        #expect(try await boat.value("gear", of: track) == .text("kite"))
        #expect(try await boat.replica.read { try $0.maintenance.status() }.refused == 0)
        let user = try await phone.replica.read { try $0.identity.current() }.user
        let settings = try await phone.replica.read {
            try $0.rows.cells(Setting.collection, .user(user), in: try $0.spaces.own())
        }
        #expect(settings[metric]?.value == .bool(false))
    }

    @Test func `I10 a revoked device that joins again keeps what it had not sent`() async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        let (boat, phone) = (devices[0], devices[1])
        try await phone.set("name", .text("unsent"), of: track)
        let before = try await phone.replica.read { try $0.identity.current() }
        let metric = Key(Setting.collection, Row.device(before.device), Setting.metric.key)
        let space = try await phone.space()
        try await phone.replica.write {
            try $0.rows.write(
                [Edit(metric, .bool(false))],
                in: space,
                at: phone.moment
            )
        }
        try await phone.replica.write { try $0.sealer.seal(at: phone.moment) }
        try await boat.revoke(phone)
        let refused = try await phone.sync()
        guard case .refused = refused.end else {
            Issue.record("\(refused)")
            return
        }
        try await phone.enroller()
            .rejoin(try await boat.link(), with: phone.replica, at: phone.moment)
        let identity = try await phone.replica.read { try $0.identity.current() }
        #expect(identity.device != before.device)
        let moved = Row.device(identity.device)
        let setting = try await phone.replica.read {
            try $0.rows.cells(metric.collection, moved, in: space)
        }[
            metric.field
        ]
        #expect(setting?.value == .bool(false) && setting?.stamp.replica == identity.replica)
        try await settle(devices, with: server)
        try await expectEqual(devices, server)
        #expect(try await boat.value("name", of: track) == .text("unsent"))
    }

    @Test func `I10 who has no other device comes back by the recovery code`() async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        let boat = devices[0]
        var generator = SystemRandomNumberGenerator()
        let code = RecoveryCode(using: &generator)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        try await boat.sync()
        try await boat.set("name", .text("unsent"), of: track)
        let before = try await boat.replica.read { try $0.identity.current() }
        // The phone has the last word, and is lost.
        try await devices[1].revoke(boat)
        let refusal = await #expect(throws: ServerProblem.self) {
            try await boat.enroller()
                .rejoin(try await server.invite(), with: boat.replica, at: boat.moment)
        }
        #expect(refusal?.type == .unauthorized)
        try await boat.enroller().recover(by: code, with: boat.replica, at: boat.moment)
        try await settle([boat], with: server)
        try await expectEqual([boat], server)
        let identity = try await boat.replica.read { try $0.identity.current() }
        #expect(identity.user == before.user && identity.device != before.device)
        #expect(try await boat.value("name", of: track) == .text("unsent"))
    }

    @Test func `C1 what a wrong clock sealed before its device joined again holds nothing up`()
        async throws
    {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        let (boat, phone) = (devices[0], devices[1])
        try await settle(devices, with: server)
        // After it started again nothing tells the phone what time it is.
        phone.offset.withLock { $0 = 10 * 365 * 86_400_000 }
        try Database(path: phone.path).execute("UPDATE self SET anchor = NULL")
        for field in ["name", "notes"] as [Text] {
            try await phone.set(field, .text("early"), of: track)
        }
        try await phone.replica.write { try $0.sealer.seal(at: phone.moment) }
        try await phone.set("name", .text("later"), of: track)
        try await phone.enroller()
            .rejoin(try await boat.link(), with: phone.replica, at: phone.moment)
        try await settle(devices, with: server)
        try await expectEqual(devices, server)
        #expect(try await boat.value("name", of: track) == .text("later"))
        #expect(try await boat.value("notes", of: track) == .text("early"))
    }

    @Test func `I9 a device does not join another person with all that it has`() async throws {
        let server = try TestServer()
        let (ann, bob) = (
            try await fleet(["ann"], server)[0], try await fleet(["bob"], server)[0]
        )
        let (space, link) = (try await ann.space(), try await bob.link())
        let enroller = ann.enroller()
        let devices = try await server.store.devices(
            of: bob.replica.read { try $0.identity.current() }.user
        )
        await #expect(throws: ReplicaError.anotherPerson(ownSpace: space)) {
            try await enroller.rejoin(link, with: ann.replica, at: ann.moment)
        }
        #expect(try await ann.sync().end == .complete)
        #expect(
            try await server.store.devices(of: bob.replica.read { try $0.identity.current() }.user)
                == devices
        )
        let phone = try TestDevice("bob's phone", server)
        try await phone.join(link)
        #expect(try await phone.sync().end == .complete)
    }

    @Test(arguments: [
        "UPDATE row SET base = x'' WHERE collection = 'track'",
        "UPDATE row SET base = x'' WHERE collection = 'track'; DELETE FROM sealed WHERE own = 0",
        "UPDATE space SET greatest = greatest",
    ])
    func `a base that differs is found, mended and told`(damage: String) async throws {
        let server = try TestServer()
        let devices = try await fleet(["boat", "phone"], server)
        try await devices[0].set("name", .text("kept"), of: track)
        try await settle(devices, with: server)
        let file = try Database(path: devices[1].path)
        try file.execute(damage)
        try file.execute("UPDATE space SET fingerprint = zeroblob(32)")
        let result = try await devices[1].sync()
        #expect(result.end == .complete && result.repaired == 1 && result.mismatches == 0)
        try await settle(devices, with: server)
        try await expectEqual(devices, server)
        #expect(try await devices[1].value("name", of: track) == .text("kept"))
    }

    @Test func `a view of the server that is wrong is built again, and no device pays for it`()
        async throws
    {
        let server = try TestServer()
        let devices = try await fleet(["boat"], server)
        try await devices[0].set("name", .text("kept"), of: track)
        try await settle(devices, with: server)
        let space = try await devices[0].space()
        try Database(path: server.folder.path + "/views/\(space).db")
            .execute("UPDATE space SET fingerprint = zeroblob(32)")
        let result = try await devices[0].sync()
        #expect(
            result.repaired == 1 && result.mismatches == 0 && result.rebased == 0,
            "\(result)"
        )
        try await expectEqual(devices, server)
    }
}
