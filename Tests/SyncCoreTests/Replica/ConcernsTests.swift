@testable import SyncCore
import Testing

/// What a person can do about a set that was declined.
@Suite struct ConcernsTests {
    /// A device whose second set was declined.
    private func declined(
        _ verdict: Verdict = .refused,
        _ reason: String = "role"
    ) async throws -> (TestDevice, LogDouble, RejectedChangeSet) {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.set("name", .text("good"), at: Time.start)
        try await device.settle(&log, at: Time.start)
        log.judge = { _ in (verdict, reason) }
        try await device.set("name", .text("better"), at: Time.start + 1)
        try await device.set("sport", .text("rowing"), at: Time.start + 1)
        try await device.settle(&log, at: Time.start + 2)
        log.judge = { _ in (.accepted, "") }
        try await device.settle(&log, at: Time.start + 3)
        let concerns = try await device.replica.read { try $0.rejected.all() }
        return (device, log, try #require(concerns.first))
    }

    @Test(arguments: [Verdict.refused, .held])
    func `what was declined is written again as of now, and leaves the list`(
        verdict: Verdict
    ) async throws {
        var (device, log, concern) = try await declined(verdict)
        #expect(try await device.value("name") == .text("good"))
        #expect(concern.written.milliseconds == Time.start + 1)
        let now = Time.start + Time.hour
        let retried = try await device.replica.write { [concern, now = device.moment(now)] in
            try $0.rejected.retry(concern, at: now)
        }
        #expect(retried == RetryOutcome(written: 2, overtaken: 0))
        #expect(try await device.value("name") == .text("better"))
        #expect(try await device.replica.read { try $0.rejected.all() }.isEmpty)
        let status = try await device.replica.read { try $0.maintenance.status() }
        #expect(status.refused + status.held == 0)
        try await device.settle(&log, at: now)
        #expect(
            log.cells()[Key("track", .id(Identifier(number: 1)), "name")]?.value == .text("better")
        )
        #expect(try await device.summary.fingerprint == log.fingerprint())
        let written = log.accepted.last?.cell.stamp.wall.milliseconds
        #expect(written == now)
    }

    @Test func `a control set that does not fit is listed with its time, while a log has it`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        for (position, states) in [("7", [RejectedChangeSet.State.unfollowed]), ("NULL", [])] {
            try await device.replica.damage(
                "UPDATE sealed SET pending = 'stale', position = \(position) WHERE control = 0"
            )
            let listed = try await device.replica.read { try $0.rejected.all() }
            #expect(listed.map(\.state) == states)
            #expect(listed.allSatisfy { $0.written.milliseconds > Time.start / 2 })
            let status = try await device.replica.read { try $0.maintenance.status() }
            #expect(status.pending == states.count)
        }
    }

    @Test func `a field that was written since keeps its value`() async throws {
        var (device, log, concern) = try await declined()
        try await device.set("name", .text("best"), at: Time.start + 10)
        try await device.settle(&log, at: Time.start + 11)
        let now = device.moment(Time.start + Time.hour)
        let retried = try await device.replica.write { [concern] in
            try $0.rejected.retry(concern, at: now)
        }
        #expect(retried == RetryOutcome(written: 1, overtaken: 1))
        #expect(try await device.value("name") == .text("best"))
        #expect(try await device.value("sport") == .text("rowing"))
    }

    @Test func `a second time nothing is written`() async throws {
        let (device, _, concern) = try await declined()
        let now = device.moment(Time.start + Time.hour)
        _ = try await device.replica.write { try $0.rejected.retry(concern, at: now) }
        #expect(
            try await device.replica.write { try $0.rejected.retry(concern, at: now) }
                == RetryOutcome()
        )
    }

    @Test func `what is dismissed leaves the list and stays in the history`() async throws {
        let (device, _, concern) = try await declined()
        try await device.replica.write { try $0.rejected.dismiss(concern) }
        #expect(try await device.replica.read { try $0.rejected.all() }.isEmpty)
        #expect(try await device.replica.read { try $0.maintenance.status() }.refused == 0)
        let row = Row.id(Identifier(number: 1))
        let history = try await device.replica.read {
            try $0.history.entries(of: "track", row, in: TestDevice.space)
        }
        #expect(history.contains { $0.state == .refused(reason: "role") })
        #expect(try await device.value("name") == .text("good"))
    }

    @Test func `a set of concern can be taken out with its bytes`() async throws {
        let (device, _, concern) = try await declined()
        let item = try #require(
            try await device.replica.read { try $0.rejected.pushItem(of: concern) }
        )
        let upload = try Upload(parsing: item.upload)
        #expect(upload.header.sequence == concern.sequence)
        let keys = try await device.replica.read { try $0.spaces.keys(of: TestDevice.space) }
        let set = try ChangeSet(opening: upload, body: item.body ?? [], with: keys)
        #expect(set.changes == concern.changes)
    }
}
