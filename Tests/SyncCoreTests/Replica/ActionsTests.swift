@testable import SyncCore
import Testing

/// What a person asks for although the cell has that value already.
@Suite struct ActionsTests {
    private static let minute = 60 * Time.second
    private let row = Identifier(number: 1)

    private func write(
        _ value: Value,
        on device: TestDevice,
        at now: Int64
    ) async throws -> Int {
        try await device.replica.write { [now = device.moment(now)] parts in
            try parts.actions.write(
                [Edit(Key("track", .id(row), "name"), value)],
                as: "renaming",
                in: TestDevice.space,
                at: now,
                checksTypes: false
            )
        }
    }

    @Test func `a value that a person asks for again wins over what another device wrote before`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        #expect(try await write(.text("mine"), on: one, at: Time.start) == 1)
        for device in [one, two, one] { try await device.settle(&log, at: Time.start) }
        // Apart: the other device renames the track, and then a person repeats the name here.
        _ = try await write(.text("theirs"), on: two, at: Time.start + Self.minute)
        #expect(try await write(.text("mine"), on: one, at: Time.start + 2 * Self.minute) == 0)
        for device in [one, two, one] {
            try await device.settle(&log, at: Time.start + 3 * Self.minute)
        }
        for device in [one, two] { #expect(try await device.value("name") == .text("mine")) }
    }

    @Test func `asking for the value that is shown leaves nothing to undo`() async throws {
        let one = try await TestDevice.joined(1)
        _ = try await write(.text("mine"), on: one, at: Time.start)
        _ = try await write(.text("mine"), on: one, at: Time.start + Self.minute)
        #expect(try await write(.null, on: one, at: Time.start + 2 * Self.minute) == 1)
        let now = one.moment(Time.start + 3 * Self.minute)
        for expected in [Value.text("mine"), .null] {
            _ = try await one.replica.write { try $0.actions.undo(in: TestDevice.space, at: now) }
            #expect(try await one.value("name") ?? .null == expected)
        }
        let last = try await one.replica.write {
            try $0.actions.undo(in: TestDevice.space, at: now)
        }
        #expect(last == nil)
    }

    @Test func `the value before one that was asked for again is that of the other device`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let key = Key("track", .id(row), "name")
        for (minute, value) in ["old", "mine"].enumerated() {
            _ = try await write(
                .text(Text(value)),
                on: one,
                at: Time.start + Int64(minute) * Self.minute
            )
        }
        #expect(
            try await one.replica.read {
                try $0.history.earlierValue(of: key, in: TestDevice.space)
            } == .text("old")
        )
        for device in [one, two] { try await device.settle(&log, at: Time.start + 2 * Self.minute) }
        for (minute, value) in ["theirs", "mine"].enumerated() {
            let time = Time.start + Int64(3 + minute) * Self.minute
            _ = try await write(.text(Text(value)), on: two, at: time)
            try await two.settle(&log, at: time)
        }
        try await one.settle(&log, at: Time.start + 5 * Self.minute)
        _ = try await write(.text("mine"), on: one, at: Time.start + 6 * Self.minute)
        #expect(
            try await one.replica.read {
                try $0.history.earlierValue(of: key, in: TestDevice.space)
            } == .text("theirs")
        )
    }

    /// Another device writes the value that a cell had before an action; undoing the action leaves it.
    @Test func `redo leaves what undo left`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        _ = try await write(.text("old"), on: one, at: Time.start)
        _ = try await write(.text("new"), on: one, at: Time.start + Self.minute)
        for device in [one, two, one] {
            try await device.settle(&log, at: Time.start + Self.minute)
        }
        _ = try await write(.text("old"), on: two, at: Time.start + 2 * Self.minute)
        for device in [two, one] { try await device.settle(&log, at: Time.start + 2 * Self.minute) }
        let now = one.moment(Time.start + 3 * Self.minute)
        let undoing = try await one.replica.write {
            try $0.actions.undo(in: TestDevice.space, at: now)
        }
        #expect(undoing?.overtaken == 1)
        let redoing = try await one.replica.write {
            try $0.actions.redo(in: TestDevice.space, at: now)
        }
        #expect(redoing == nil)
        #expect(try await one.value("name") == .text("old"))
    }

    @Test func `removing what is not there writes nothing`() async throws {
        let one = try await TestDevice.joined(1)
        _ = try await one.seal(at: Time.start)
        #expect(try await write(.null, on: one, at: Time.start) == 0)
        #expect(try await one.seal(at: Time.start) == 0)
    }
}
