@testable import SyncCore
import Testing

@testable import SyncServer

/// A device with a flipped bit in its record of how much of the log it has merged.
@Suite struct DamagedCursorTests {
    private static let words =
        "the record of how much of the log is merged was damaged; the log is merged again"

    static let damages: [SQL] = [
        "UPDATE space SET position = position | 64", "UPDATE space SET position = position >> 1",
        "UPDATE space SET chain = zeroblob(32)",
        "UPDATE log_link SET links = zeroblob(length(links))",
    ]

    private func damage(_ index: Int, of device: TestDevice) async throws {
        try await device.replica.write {
            _ = try $0.lineage.database.run(Self.damages[index])
        }
    }

    @Test(arguments: damages.indices)
    func `the log is merged again, and nobody is accused`(index: Int) async throws {
        let couple = try await Couple()
        for name in ["first", "second", "third"] as [Text] {
            try await couple.phone.set("name", .text(name), of: couple.track)
            try await couple.settle()
        }
        try await couple.phone.set("name", "fourth", of: couple.track)
        try await couple.phone.sync()
        try await damage(index, of: couple.boat)
        try await couple.boat.set("notes", "sealed afterwards", of: couple.track)

        let faults = try await couple.boat.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults.contains { $0.hasSuffix("how much of the log is merged is damaged") })
        let before = try await couple.boat.replica.read { try $0.identity.current() }.replica
        try await couple.settle()

        #expect(try await couple.boat.value("name", of: couple.track) == "fourth")
        #expect(try await couple.phone.value("notes", of: couple.track) == "sealed afterwards")
        for device in couple.devices {
            #expect(try await device.replica.read { try $0.breaches.all() } == [])
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        }
        // The log is the same, so the device goes on under its name.
        #expect(try await couple.boat.replica.read { try $0.identity.current() }.replica == before)
        let repaired = try await couple.boat.replica.read { try $0.events.latest() }
            .filter { $0.kind == .repaired }
        #expect(repaired.map(\.detail) == [Self.words])
    }

    /// Two devices that both renamed a track three times; its name is "third".
    private func renamed() async throws -> Couple {
        let couple = try await Couple()
        for name in ["first", "second", "third"] as [Text] {
            for device in couple.devices {
                try await device.set("name", .text(name), of: couple.track)
                try await couple.settle()
            }
        }
        return couple
    }

    @Test(arguments: ["own = 0", "own = 1"])
    func `K6 entries of the log that the file lost are counted, and fetched by the doctor's repair`(
        whose: String
    ) async throws {
        let couple = try await renamed()
        let count = try await couple.head()
        // Nothing of the log is left out for what another member was shown.
        try Database(path: couple.boat.path).execute(
            """
            DELETE FROM sealed WHERE number = (SELECT max(number) FROM sealed
                WHERE control IS NULL AND \(whose));
            INSERT INTO breach (space, kind, detail, time, is_acknowledged)
                SELECT number, 'twoHistories', 'a device was shown other entries', 0, 1 FROM space
            """
        )
        let faults = try await couple.boat.replica.read { try $0.maintenance.verify() }.faults
        #expect(
            faults.contains { $0.contains(": 1 of \(count) entries of the log are missing here") },
            "\(faults)"
        )
        let now = couple.boat.moment.wall
        _ = try await couple.boat.replica.write { try $0.repairs.repair(at: now) }
        try await couple.settle()
        for device in couple.devices {
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
            #expect(try await device.value("name", of: couple.track) == "third")
        }
    }

    @Test(arguments: ["own = 0", "own = 1"])
    func `K6 a set of the log that cannot be read is fetched again after the doctor's repair`(
        whose: String
    ) async throws {
        let couple = try await renamed()
        try Database(path: couple.boat.path).execute(
            """
            UPDATE sealed SET upload = zeroblob(length(upload)) WHERE number =
                (SELECT max(number) FROM sealed WHERE control IS NULL AND \(whose))
            """
        )
        try await couple.phone.set("name", .text("fourth"), of: couple.track)
        try await couple.boat.set("sport", .text("sailing"), of: couple.track)
        let now = couple.boat.moment.wall
        _ = try await couple.boat.replica.write { try $0.repairs.repair(at: now) }
        try await couple.settle()
        for device in couple.devices {
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
            #expect(try await device.value("name", of: couple.track) == "fourth")
            #expect(try await device.value("sport", of: couple.track) == "sailing")
        }
    }

    @Test(arguments: damages.indices) func `doctor restores it too, once`(index: Int) async throws {
        let couple = try await Couple()
        try await damage(index, of: couple.boat)
        let now = couple.boat.moment.wall
        #expect(
            try await couple.boat.replica.write { try $0.repairs.repair(at: now) }.restored == 1
        )
        try await couple.settle()
        #expect(try await couple.boat.replica.read { try $0.maintenance.verify() }.faults == [])
    }
}
