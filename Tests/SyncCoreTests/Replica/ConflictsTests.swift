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
        try await device.replica.conflicts(in: TestDevice.space)
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
}
