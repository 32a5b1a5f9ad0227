@testable import SyncCore
import Testing

/// Fields that two devices wrote without knowing of each other.
@Suite struct ConflictsTests {
    private let one: TestDevice
    private let two: TestDevice
    private var log = LogDouble(keys: TestDevice.spaceKeys)
    private var now = Time.start

    init() async throws {
        (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
    }

    private mutating func write(
        _ value: String,
        _ field: Text = "name",
        on device: TestDevice
    ) async throws {
        now += 10
        try await device.set(field, .text(Text(value)), at: now)
    }

    private mutating func settle(_ devices: TestDevice...) async throws {
        for device in devices {
            now += 10
            try await device.settle(&log, at: now)
        }
    }

    private func values(on device: TestDevice) async throws -> [[String?]] {
        try await device.replica.read { try $0.conflicts.all(in: TestDevice.space) }
            .map { [$0.winner.cell.value.text, $0.loser.cell.value.text] }
    }

    @Test mutating func `two writes at once are told until somebody decides`() async throws {
        try await write("a", on: one)
        try await settle(one, two)
        #expect(try await values(on: two).isEmpty)
        try await write("b", on: one)
        try await write("c", on: two)
        try await settle(one, two, one)
        #expect(try await values(on: one) == [["c", "b"]])
        #expect(try await values(on: two) == [["c", "b"]])
        try await write("d", on: one)
        #expect(try await values(on: one).isEmpty)
        try await settle(one, two)
        #expect(try await values(on: two).isEmpty)
    }

    @Test mutating func `writes that knew of each other, or say the same, are none`() async throws {
        try await write("a", on: one)
        try await settle(one, two)
        try await write("b", on: two)
        try await settle(two, one)
        try await write("same", "notes", on: one)
        try await write("same", "notes", on: two)
        try await write("x", "gear", on: one)
        try await write("y", "gear", on: one)
        try await write("z", "sport", on: two)
        try await settle(one, two, one)
        #expect(try await values(on: one).isEmpty)
        #expect(try await values(on: two).isEmpty)
    }

    @Test mutating func `what is not sent yet counts too`() async throws {
        try await write("a", on: one)
        try await settle(one)
        try await write("b", on: two)
        try await settle(two)
        try await write("c", on: one)
        #expect(try await values(on: one).isEmpty)
        try await settle(one)
        #expect(try await values(on: one) == [["c", "b"]])
    }

    @Test mutating func `a deletion and a split at once are told until one is taken back`()
        async throws
    {
        let track = Identifier(number: 7)
        let deletion = Edit(track, FieldSchema.deleted.name, .bool(true))
        let split = Edit(track, TrackEdits.supersededBy, .list([.bytes([1]), .bytes([2])]))
        func write(_ edit: Edit, on device: TestDevice) async throws {
            now += 10
            try await device.replica.write { [now = device.moment(now)] in
                try $0.rows.write([edit], in: TestDevice.space, at: now)
            }
        }
        try await self.write("a", on: one)
        try await settle(one, two)
        try await write(deletion, on: one)
        try await write(split, on: two)
        try await settle(one, two, one)
        for device in [one, two] {
            let found = try await device.replica.read { try $0.conflicts.all(in: TestDevice.space) }
            #expect(found.map(\.winner.key.field) == [FieldSchema.deleted.name])
            #expect(found.map(\.loser.key.field) == [TrackEdits.supersededBy])
        }
        try await write(Edit(track, FieldSchema.deleted.name, .null), on: one)
        let decided = try await one.replica.read { try $0.conflicts.all(in: TestDevice.space) }
        #expect(decided.isEmpty)
        try await write(deletion, on: one)
        let knowing = try await one.replica.read { try $0.conflicts.all(in: TestDevice.space) }
        #expect(knowing.isEmpty)
    }
}
