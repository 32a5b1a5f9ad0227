@testable import SyncCore
import Testing

@testable import SyncServer

/// A device whose copy of a space's secret is damaged.
@Suite struct DamagedSecretTests {
    private let couple: Couple

    init() async throws { couple = try await Couple() }

    private func damage(_ device: TestDevice) async throws {
        try await device.replica.write {
            _ = try $0.lineage.database.run(
                "UPDATE space_key SET secret = zeroblob(32)"
            )
        }
    }

    private func events(_ device: TestDevice) async throws -> [String] {
        try await device.replica.read { try $0.events.latest() }.filter { $0.kind == .repaired }
            .map(\.detail)
    }

    @Test(arguments: [0, 1])
    func `nothing is sealed with a damaged secret, which is decrypted again`(which: Int)
        async throws
    {
        let device = couple.devices[which]
        let other = couple.devices[1 - which]
        try await damage(device)
        #expect(
            try await device.replica.read { try $0.maintenance.verify() }.faults
                .contains { $0.hasSuffix("the secret of key epoch 1 is damaged") }
        )
        try await device.set("name", "sealed", of: couple.track)
        try await couple.settle()
        #expect(try await other.value("name", of: couple.track) == "sealed")
        #expect(
            try await events(device)
                == ["the secret of key epoch 1 was damaged, and was decrypted again"]
        )
        for device in couple.devices {
            #expect(try await device.replica.read { try $0.breaches.all() } == [])
        }
    }

    @Test func `nothing is sealed under a damaged number of an epoch`() async throws {
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.replica.write {
            // Without the wraps, only the secret itself is left.
            let database = $0.lineage.database
            try database.run("UPDATE space_key SET epoch = x'0040000000000001'")
            try database.run("DELETE FROM chunk WHERE kind = 2")
        }
        try await boat.set("name", "sealed", of: couple.track)
        try await couple.settle()
        #expect(try await phone.value("name", of: couple.track) == "sealed")
    }

    @Test func `no set of another device is called forged for a damaged secret here`()
        async throws
    {
        try await damage(couple.phone)
        try await couple.boat.set("name", "boat's", of: couple.track)
        try await couple.settle()
        #expect(try await couple.phone.value("name", of: couple.track) == "boat's")
        #expect(try await events(couple.phone).count == 1)
    }

    @Test func `a damaged secret whose wrap is gone makes no set forged, and comes again`()
        async throws
    {
        let (boat, phone, server) = (couple.boat, couple.phone, couple.server)
        let laptop = try TestDevice("laptop", server)
        try await laptop.join(try await boat.link())
        // The secret of the next key epoch is in a chunk of wraps, and in no control set.
        try await boat.revoke(laptop)
        try await phone.sync()
        let space = try await boat.space()
        try await phone.replica.write {
            let newest = try unwrapped(try $0.controls.chain(of: space).epochs.last)
            try $0.chunks.forgetBytes(of: newest.wraps)
        }
        try await damage(phone)
        try await boat.set("name", "boat's", of: couple.track)
        try await boat.sync()
        #expect(try await phone.sync(over: LostChunks(router: server.router)).end != .complete)
        #expect(try await events(phone).allSatisfy { $0.contains("no wrap of it is at hand") })
        let listed = try await phone.replica.read { try $0.rejected.all() }
        #expect(listed.map(\.state) == [.pending(.unknownKeyEpoch(2))])
        #expect(try await phone.replica.read { try $0.breaches.all() }.isEmpty)
        try await couple.settle()
        #expect(try await phone.value("name", of: couple.track) == "boat's")
    }

    @Test func `a damaged control set does not take the secret of its epoch with it`() async throws
    {
        let (boat, phone) = (couple.boat, couple.phone)
        let laptop = try TestDevice("laptop", couple.server)
        try await laptop.join(try await boat.link())
        try await boat.revoke(laptop)
        try await phone.sync()
        try await phone.flip(
            [80],
            of: "body",
            in: "sealed",
            where: "control = (SELECT max(control) FROM sealed)"
        )
        let now = phone.moment.wall
        try await phone.replica.write {
            // Nothing else on the phone has the secret.
            try $0.lineage.database.run("DELETE FROM chunk WHERE kind = 2")
        }
        _ = try await phone.replica.write { try $0.repairs.repair(at: now) }
        let faults = try await phone.replica.read { try $0.maintenance.verify() }.faults
        #expect(!faults.contains { $0.contains("secret") })

        try await phone.set("name", "sealed", of: couple.track)
        try await phone.replica.write { try $0.sealer.seal(at: phone.moment) }
        let sealed = try await phone.replica.read {
            try $0.lineage.database.first(
                "SELECT upload FROM sealed WHERE own = 1 AND control IS NULL ORDER BY sequence DESC"
            ) { try Upload(parsing: $0.blob(0)) }
        }
        #expect(sealed?.macs?.inner.keyEpoch == 2)
        try await couple.settle()
        #expect(try await boat.value("name", of: couple.track) == "sealed")
    }

    @Test func `doctor restores a damaged secret`() async throws {
        try await damage(couple.boat)
        let now = couple.boat.moment.wall
        let outcome = try await couple.boat.replica.write { try $0.repairs.repair(at: now) }
        #expect(outcome.restored == 1)
        #expect(try await couple.boat.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    /// The phone has the wraps of the space from before it joined, too, which nobody else has.
    @Test(arguments: [0, 1])
    func `damaged wraps of a key epoch are no loss`(which: Int) async throws {
        let device = couple.devices[which]
        try await device.replica.write {
            _ = try $0.lineage.database.run(
                "UPDATE chunk SET bytes = zeroblob(length(bytes)) WHERE kind = 2"
            )
        }
        #expect(try await !device.replica.read { try $0.maintenance.verify() }.faults.isEmpty)
        let outcome = try await device.replica.write { [now = device.moment.wall] in
            try $0.repairs.repair(at: now)
        }
        #expect(outcome.lost == 0)
        try await couple.settle()
        #expect(try await device.replica.read { try $0.maintenance.status() }.lostChunks == 0)
    }
}
