import Testing

@testable import SyncCore

/// Sets that were sealed under a name that another database uses too.
@Suite struct OrphanTests {
    @Test func `what the log has is not written again, however small its pages are`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for value in 1...3 as ClosedRange<Int64> {
            try await one.set("name", .integer(value), at: Time.start + value)
            try await one.sync(&log, at: Time.start + value, .init(losesAnswer: true))
        }
        try await one.replica.write { [now = one.wall(Time.start)] in
            try $0.overlay.renameReplica(at: now)
        }
        try await one.pull(log, at: Time.start + Time.second, .init(pageLimit: 1))
        try await one.settle(&log, at: Time.start + Time.second)
        #expect(log.entries.count == 3)
        #expect(try await one.value("name") == .integer(3))
    }

    @Test func `an orphan is shifted once`() async throws {
        let early = Time.start - 2 * Time.hour
        let (one, three) = (
            try await TestDevice.joined(1, at: early), try await TestDevice.joined(3, at: early)
        )
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = -Time.hour
        try await one.settle(&log, at: early)
        try await three.settle(&log, at: early)
        let two = try await one.clone(as: "copy.db")
        two.wallError = -Time.hour
        let start = Time.start
        try await one.set("colour", .text("x"), at: start)
        try await one.settle(&log, at: start)
        try await two.replica.write { [anchor = two.anchor(at: start)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await two.set("name", .text("older"), at: start)
        try await two.seal(at: start)
        try await three.set("name", .text("newer"), at: start + 600_000)
        try await three.settle(&log, at: start + 600_000)
        try await two.settle(&log, at: start + 1_200_000)
        try await three.settle(&log, at: start + 1_200_000)
        #expect(try await three.value("name") == .text("newer"))
    }
}
