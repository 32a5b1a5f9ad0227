@testable import SyncCore
import Testing

/// Verdicts that were lost with an answer or with a log.
@Suite struct LostVerdictTests {
    private func rebase(_ device: TestDevice) async throws {
        try await device.replica.write { [now = device.wall(Time.start)] in
            try $0.rebase.startOver(TestDevice.space, at: now)
        }
    }

    @Test func `C1 why a set was refused is known from the log where the answer was lost`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("kept"), at: Time.start)
        log.judge = { _ in (.refused, "clock") }
        _ = try await one.sync(&log, at: Time.start, TestDevice.Trouble(losesAnswer: true))
        // The log tells it first: who pushed again would hear the verdict again.
        try await one.pull(log, at: Time.start + 1)
        log.judge = { _ in (.accepted, "") }
        try await one.settle(&log, at: Time.start + 2)
        #expect(try await one.replica.read { try $0.maintenance.status() }.refused == 0)
        #expect(try await one.value("name") == .text("kept"))
        #expect(log.accepted.contains { $0.cell.value == .text("kept") })
    }

    /// What the device offers fails for good: no log will have it under its name.
    private func failOffers(of one: TestDevice, at time: Int64) async throws {
        let offers = try await one.replica.read {
            try $0.backfill.offers(of: TestDevice.space, byteLimit: 1 << 20)
        }.items
        #expect(!offers.isEmpty)
        _ = try await one.replica.write { [now = one.wall(time)] in
            try $0.backfill.recordOutcome(
                offered: offers.map { _ in .failed(problem: "fork", sequence: 0) },
                of: offers,
                final: ["fork"],
                at: now
            )
        }
    }

    /// The log refuses a device's set, is lost before it told so, and what the device then offers fails.
    private func refuseAndLose(of one: TestDevice, for reason: String, in log: inout LogDouble)
        async throws
    {
        log.judge = { _ in (.refused, reason) }
        _ = try await one.sync(&log, at: Time.start, TestDevice.Trouble(skipsPull: true))
        try await one.replica.write { [now = one.wall(Time.start + 1)] in
            try $0.overlay.renameReplica(at: now)
        }
        try await rebase(one)
        log.rewind(to: 0)
        try await one.pull(log, at: Time.start + 1)
        try await failOffers(of: one, at: Time.start + 2)
    }

    @Test
    func `C1 what was refused for its clock, and lost before the log told it, is written again`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("kept"), at: Time.start)
        try await refuseAndLose(of: one, for: "clock", in: &log)
        log.judge = { _ in (.accepted, "") }
        try await one.settle(&log, at: Time.start + 3)
        #expect(log.accepted.contains { $0.cell.value == .text("kept") })
        #expect(try await one.cells() == log.cells())
    }

    @Test func `C1 what was refused stays on the list where no log takes it back`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("refused"), at: Time.start)
        try await refuseAndLose(of: one, for: "role", in: &log)
        #expect(try await one.replica.read { try $0.rejected.all() }.count == 1)
        #expect(try await one.replica.read { try $0.maintenance.status() }.refused == 1)
        let rest = try await one.replica.read {
            try $0.backfill.offers(of: TestDevice.space, byteLimit: 1 << 20)
        }.items
        #expect(rest.isEmpty)
    }

    @Test func `what was written again is offered once more, for others follow it`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("kept"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await one.replica.write { [now = one.wall(Time.start + 1)] in
            try $0.overlay.renameReplica(at: now)
        }
        try await rebase(one)
        log.rewind(to: 0)
        try await one.pull(log, at: Time.start + 1)
        try await failOffers(of: one, at: Time.start + 2)
        #expect(try await one.value("name") == .text("kept"))
        // A log that went back to what it was takes it under its name, and the chain has no hole.
        try await failOffers(of: one, at: Time.start + 3)
        let rest = try await one.replica.read {
            try $0.backfill.offers(of: TestDevice.space, byteLimit: 1 << 20)
        }.items
        #expect(rest.isEmpty)
        try await one.settle(&log, at: Time.start + 4)
        #expect(log.accepted.contains { $0.cell.value == .text("kept") })
    }
}
