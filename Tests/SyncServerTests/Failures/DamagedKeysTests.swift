@testable import SyncCore
import Testing

@testable import SyncServer

/// A device whose permanent keys are damaged.
@Suite struct DamagedKeysTests {
    static let columns = ["device", "signing_key", "agreement_key"]

    @Test(arguments: columns)
    func `one flipped bit is put right, and nothing looks forged`(column: String) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let before = try await boat.replica.read { try $0.identity.current() }
        try await boat.flip([77], of: column, in: "self")
        let faults = try await boat.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults.contains("the keys of this device do not match its id"))
        try await boat.set("name", "boat's", of: couple.track)
        let laptop = try TestDevice("laptop", couple.server)
        try await laptop.join(try await boat.link())
        try await couple.settle()

        let after = try await boat.replica.read { try $0.identity.current() }
        #expect(after.keys == before.keys && after.device == before.device)
        #expect(after.replica == before.replica)
        #expect(try await phone.value("name", of: couple.track) == "boat's")
        for device in couple.devices + [laptop] {
            #expect(try await device.replica.read { try $0.breaches.all() } == [])
        }
        let repaired = try await boat.replica.read { try $0.events.latest() }
            .filter { $0.kind == .repaired }
        #expect(
            repaired.map(\.detail) == [
                "a bit of this device's keys or id was damaged, and was restored"
            ]
        )
    }

    @Test(arguments: columns)
    func `doctor puts it right, too`(column: String) async throws {
        let couple = try await Couple()
        try await couple.boat.flip([100], of: column, in: "self")
        let now = couple.boat.moment.wall
        let outcome = try await couple.boat.replica.write { try $0.repairs.repair(at: now) }
        #expect(outcome.restored == 1)
        try await couple.settle()
        #expect(try await couple.boat.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test(arguments: columns)
    func `with keys that are lost nothing is signed, and a new link helps`(column: String)
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", "boat's", of: couple.track)
        try await boat.flip([10, 77, 101], of: column, in: "self")
        await #expect(throws: ReplicaError.damagedKeys) { try await boat.unsentLink() }
        let now = boat.moment.wall
        #expect(try await boat.replica.write { try $0.repairs.repair(at: now) }.restored == 0)
        #expect(try await boat.sync().end != .complete)

        try await boat.enroller().rejoin(phone.link(), with: boat.replica, at: boat.moment)
        try await couple.settle()
        #expect(try await phone.value("name", of: couple.track) == "boat's")
        #expect(try await boat.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `what was sealed while the server's master key was another one is sent later`()
        async throws
    {
        let couple = try await Couple()
        let (boat, server) = (couple.boat, couple.server)
        let other = try TestServer(clock: server.clock, folder: server.folder, master: 8)
        for (field, value) in [("name", "before"), ("notes", "during")] as [(Text, Value)] {
            try await boat.set(field, value, of: couple.track)
            try await boat.sync(over: other.transport)
        }
        try await boat.set("colour", "after", of: couple.track)
        try await couple.settle()
        for (field, value) in [("name", "before"), ("notes", "during"), ("colour", "after")]
            as [(Text, Value)]
        {
            #expect(try await couple.phone.value(field, of: couple.track) == value)
        }
    }
}
