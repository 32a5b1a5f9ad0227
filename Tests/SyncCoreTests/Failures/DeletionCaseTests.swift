@testable import SyncCore
import Testing

/// Deleting, restoring and making again, in every order.
@Suite struct DeletionCaseTests {
    private let row = Identifier(number: 1)

    private func listed(_ device: TestDevice, deleted: Bool = false) async throws -> [String?] {
        try await device.replica.read { try $0.tracks.all(in: TestDevice.space, deleted: deleted) }
            .map(\.name)
    }

    @Test(
        arguments: [(40, [0, 1, 2]), (40, [2, 1, 0]), (25, [1, 2, 0]), (25, [0, 2, 1])]
            as [(Int64, [Int])]
    )
    func `M4 deletions and a restoration at once have one outcome`(
        lastDeletion: Int64,
        order: [Int]
    ) async throws {
        var fleet = try await Fleet(3)
        let devices = fleet.devices
        try await devices[0].set("name", .text("sail"), at: Time.start + 1)
        try await fleet.settle(at: Time.start + 1)
        // Each in a set of its own, and none sees the others'.
        try await devices[0].set("deleted", .bool(true), at: Time.start + 10)
        try await devices[1].set("deleted", .bool(true), at: Time.start + 20)
        try await devices[1].seal(at: Time.start + 21)
        try await devices[1].set("deleted", .null, at: Time.start + 30)
        try await devices[2].set("deleted", .bool(true), at: Time.start + lastDeletion)
        for index in order { try await devices[index].settle(&fleet.log, at: Time.start + 50) }
        try await fleet.settle(at: Time.start + Time.second)
        let isDeleted = lastDeletion > 30
        for device in devices {
            #expect(try await listed(device) == (isDeleted ? [] : ["sail"]))
            #expect(try await listed(device, deleted: true) == (isDeleted ? ["sail"] : []))
        }
        try await devices[0].set("deleted", .bool(true), at: Time.start + Time.hour)
        try await devices[0].set("deleted", .null, at: Time.start + Time.hour + 1)
        try await fleet.settle(at: Time.start + Time.hour + 2)
        for device in devices { #expect(try await listed(device) == ["sail"]) }
    }

    @Test func `M5 what is deleted and made again in one write is there`() async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try await one.set("name", .text("old"), at: Time.start + 1)
        try await fleet.settle(at: Time.start + 1)
        @Sendable func edit(_ field: Text, _ value: Value) -> Edit {
            Edit(Key("track", .id(row), field), value)
        }
        let sets = fleet.log.entries.count
        try await one.replica.write { [now = one.moment(Time.start + 2)] in
            try $0.rows.write(
                [edit("deleted", .bool(true)), edit("name", "new"), edit("deleted", .null)],
                in: TestDevice.space,
                at: now
            )
        }
        try await fleet.settle(at: Time.start + 3)
        #expect(fleet.log.entries.count == sets + 1)
        for device in [one, two] {
            #expect(try await listed(device) == ["new"])
            #expect(try await listed(device, deleted: true).isEmpty)
        }
    }

    @Test(arguments: [1, 2, .max])
    func `M6 what was made and deleted is in a fresh device's trash, however pages are cut`(
        pageLimit: Int
    ) async throws {
        var fleet = try await Fleet(1)
        let one = fleet.devices[0]
        try await one.set("name", .text("short-lived"), at: Time.start + 1)
        try await fleet.settle(at: Time.start + 1)
        try await one.set("deleted", .bool(true), at: Time.start + 2)
        try await fleet.settle(at: Time.start + 2)
        let fresh = try await fleet.newcomer()
        try await fresh.pull(fleet.log, at: Time.start + 3, .init(pageLimit: pageLimit))
        #expect(try await listed(fresh).isEmpty)
        #expect(try await listed(fresh, deleted: true) == ["short-lived"])
        #expect(try await fresh.summary.fingerprint == fleet.log.fingerprint())
        try await fresh.set("deleted", .null, at: Time.start + 4)
        try await fresh.settle(&fleet.log, at: Time.start + 4)
        try await fleet.settle(at: Time.start + 5)
        #expect(try await listed(one) == ["short-lived"])
    }

    @Test func `M9 three hundred tracks deleted by mistake come back in one write`() async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let rows = (1...300).map { Identifier(number: $0) }
        func write(_ device: TestDevice, _ field: Text, at now: Int64, _ value: (Int) -> Value)
            async throws
        {
            let edits = rows.enumerated().map { Edit(Key("track", .id($1), field), value($0)) }
            try await device.replica.write { [now = device.moment(now)] in
                try $0.rows.write(edits, in: TestDevice.space, at: now)
            }
        }
        try await write(one, "name", at: Time.start + 1) { .integer(Int64($0)) }
        try await write(one, "notes", at: Time.start + 1) { .text(Text("\($0)")) }
        try await fleet.settle(at: Time.start + 1)
        let before = try await two.cells().filter { $0.key.field != "deleted" }
        let sets = fleet.log.entries.count
        try await write(one, "deleted", at: Time.start + 2) { _ in .bool(true) }
        try await fleet.settle(at: Time.start + 3)
        #expect(fleet.log.entries.count == sets + 1, "one set that can be told from others")
        #expect(try await listed(two).isEmpty)
        #expect(try await listed(two, deleted: true).count == 300)
        try await write(two, "deleted", at: Time.start + 4) { _ in .null }
        try await fleet.settle(at: Time.start + 5)
        for device in [one, two] {
            #expect(try await listed(device).count == 300)
            #expect(try await device.cells().filter { $0.key.field != "deleted" } == before)
        }
    }
}
