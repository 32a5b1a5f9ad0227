@testable import SyncCore
import Testing

/// Clocks that are wrong, and the stamps that are shifted before they are sealed.
@Suite struct WrongClockTests {
    private let row = Identifier(number: 1)

    /// What a server refuses: stamps more than five minutes ahead, but for the exception of C11.
    private func bounded(at now: Int64, _ log: LogDouble) -> (Upload) -> (Verdict, String) {
        let greatest = log.accepted.map(\.cell.stamp.time).max() ?? 0
        return { upload in
            let bound = max(
                UInt64(now + 300_000) << 16,
                greatest + UInt64(upload.header.cellCount)
            )
            return upload.header.stamps.upperBound <= bound ? (.accepted, "") : (.refused, "clock")
        }
    }

    private func settle(_ devices: [TestDevice], _ log: inout LogDouble, at now: Int64) async throws
    {
        for device in devices + devices {
            log.judge = bounded(at: now, log)
            try await device.settle(&log, at: now)
        }
        for device in devices {
            #expect(try await device.summary.fingerprint == log.fingerprint())
            #expect(try await device.cells() == log.cells())
        }
    }

    @Test(arguments: [Time.hour, 10 * Time.year, -Time.hour, -Time.start, -2 * Time.start])
    func `C1 C2 C3 what a wrong clock stamped is shifted, keeps its order and is not lost`(
        wallError: Int64
    ) async throws {
        let (one, two) = (
            try await TestDevice.joined(1, at: Time.start - Time.hour),
            try await TestDevice.joined(2, at: Time.start - Time.hour)
        )
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = wallError
        try await one.set("name", .text("first"), at: Time.start)
        try await one.set("notes", .text("second"), at: Time.start + Time.second)
        try await one.set("colour", .text("third"), at: Time.start + 2 * Time.second)
        try await two.set("name", .text("theirs"), at: Time.start - Time.second)
        try await one.replica.write { [anchor = one.anchor(at: Time.start)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await settle([one, two], &log, at: Time.start + Time.hour)
        #expect(log.entries.allSatisfy { $0.verdict == .accepted })
        #expect(try await two.value("name") == .text("first"))
        let cells = try await two.replica.read {
            try $0.rows.cells("track", .id(row), in: TestDevice.space)
        }
        let walls = ["name", "notes", "colour"].map { cells[$0]?.stamp.wall.milliseconds ?? 0 }
        #expect(walls == walls.sorted())
        // Times before 1970 all count as 1970, so their distances are lost.
        #expect(walls.allSatisfy { abs($0 - Time.start) < Time.hour + 3 * Time.second })
        // The clock is right for what comes next.
        try await one.set("name", .text("later"), at: Time.start + 2 * Time.hour)
        try await settle([one, two], &log, at: Time.start + 2 * Time.hour)
        #expect(try await two.value("name") == .text("later"))
    }

    private func wall(_ field: Text, on device: TestDevice) async throws -> Int64 {
        let cells = try await device.replica.read {
            try $0.rows.cells("track", .id(row), in: TestDevice.space)
        }
        return try #require(cells[field]).stamp.wall.milliseconds
    }

    @Test(arguments: [150 * 60 * Time.second, 72 * Time.hour, 70 * Time.year])
    func `C2 what was written after the clock was set right has its right time`(error: Int64)
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let minute = 60 * Time.second
        try await two.set("name", .text("theirs, earlier"), at: Time.start + minute)
        try await two.set("notes", .text("theirs, earlier"), at: Time.start + minute)
        one.wallError = error
        try await one.set("name", .text("under the wrong clock"), at: Time.start + 2 * minute)
        try await one.set("colour", .text("under the wrong clock"), at: Time.start + 2 * minute)
        one.wallError = 0
        try await one.set("name", .text("ours, later"), at: Time.start + 3 * minute)
        try await one.set("notes", .text("ours, later"), at: Time.start + 3 * minute)
        try await two.set("notes", .text("theirs, last"), at: Time.start + 4 * minute)
        try await one.replica.write { [anchor = one.anchor(at: Time.start + 5 * minute)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await settle([one, two], &log, at: Time.start + Time.hour)
        #expect(try await two.value("name") == .text("ours, later"))
        #expect(try await one.value("notes") == .text("theirs, last"))
        #expect(try await wall("name", on: two) == Time.start + 3 * minute)
        // What the wrong clock stamped came before it, whenever that was.
        #expect(try await wall("colour", on: two) <= Time.start + 3 * minute)
        #expect(try await wall("colour", on: two) > Time.start)
    }

    @Test func `C2 a server that was ahead for a while sends nobody's edits into the past`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        let three = try await TestDevice.joined(3)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let minute = 60 * Time.second
        try await three.set("notes", .text("three, earlier"), at: Time.start + minute)
        one.wallError = 3 * Time.hour
        try await one.set("name", .text("while the server was ahead"), at: Time.start + minute)
        try await one.sync(&log, at: Time.start + minute)
        #expect(log.accepted.contains { $0.key.field == "name" })
        try await two.pull(log, at: Time.start + 2 * minute)
        for field in ["name", "notes"] as [Text] {
            try await two.set(field, .text("two, last of all"), at: Time.start + 3 * minute)
        }
        one.wallError = 0
        for device in [one, two, three] {
            try await device.replica.write {
                [anchor = device.anchor(at: Time.start + 4 * minute)] in
                try $0.clockPeriods.learn(anchor)
            }
        }
        try await settle([two, three, one], &log, at: Time.start + 4 * minute)
        #expect(try await wall("notes", on: one) == Time.start + 3 * minute)
        for field in ["name", "notes"] as [Text] {
            #expect(try await three.value(field) == .text("two, last of all"))
        }
    }

    @Test func `what was written in one moment has stamps of its own after they are shifted`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.hour
        let fields: [Text] = ["sport", "name", "notes", "colour"]
        for field in fields { try await one.set(field, .text("now"), at: Time.start) }
        try await one.replica.write { [anchor = one.anchor(at: Time.start)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await settle([one], &log, at: Time.start + Time.second)
        let written = log.accepted.filter { $0.cell.value == .text("now") }
            .sorted { $0.cell.stamp < $1.cell.stamp }
        #expect(written.map(\.key.field) == fields)
        #expect(Set(written.map(\.cell.stamp)).count == fields.count)
    }

    @Test func `a set that was refused for its clock is written again under new stamps`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.year
        try await one.set("name", .text("early"), at: Time.start)
        try await one.seal(at: Time.start)
        try await settle([one, two], &log, at: Time.start)
        #expect(log.entries.contains { $0.verdict == .refused })
        #expect(try await two.value("name") == .text("early"))
        #expect(try await one.replica.read { try $0.maintenance.status() }.refused == 0)
        #expect(try await one.replica.read { try $0.rejected.all() }.isEmpty)
        #expect(try await one.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `a set that was refused and written again still belongs to the chain`() async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.year
        try await one.set("name", .text("early"), at: Time.start)
        try await one.seal(at: Time.start)
        try await settle([one], &log, at: Time.start)
        log.rewind(to: 0)
        log.judge = bounded(at: Time.start, log)
        try await one.set("name", .text("later"), at: Time.start + 1)
        try await one.seal(at: Time.start)
        let items = try await one.replica.pushItems(
            of: TestDevice.space,
            after: 0,
            byteLimit: 1 << 20
        )
        let results = try log.push(items)
        #expect(results.count == 3)
        #expect(!results.contains { if case .failed = $0 { true } else { false } })
    }

    @Test func `an older value that was refused does not come back over a newer one`() async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.year
        try await one.set("name", .text("older"), at: Time.start)
        try await one.seal(at: Time.start)
        log.judge = bounded(at: Time.start, log)
        // The answer tells the time; before the page is merged a person writes again.
        try await one.sync(&log, at: Time.start, .init(skipsPull: true))
        try await one.set("name", .text("newer"), at: Time.start + 1)
        try await settle([one], &log, at: Time.start + 2)
        #expect(try await one.value("name") == .text("newer"))
    }

    @Test func `what was refused holds no later edit in the future`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.year
        try await one.set("name", .text("older"), at: Time.start)
        try await one.seal(at: Time.start)
        log.judge = bounded(at: Time.start, log)
        try await one.sync(&log, at: Time.start, .init(skipsPull: true))
        one.wallError = 0
        try await one.set("name", .text("newer"), at: Time.start + 1)
        try await settle([one], &log, at: Time.start + 2)
        #expect(try await one.value("name") == .text("newer"))
        #expect(log.entries.count { $0.verdict == .refused } == 1)
    }

    @Test func `C7 only the set from the future is refused, and the clock falls back`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await settle([one], &log, at: Time.start)
        one.wallError = 10 * Time.year
        try await one.set("name", .text("early"), at: Time.start)
        one.wallError = 0
        try await one.set("notes", .text("right"), at: Time.start)
        try await settle([one], &log, at: Time.start + 1)
        try await one.set("name", .text("next"), at: Time.start + 2)
        let cell = try await one.replica.read {
            try $0.rows.cells("track", .id(row), in: TestDevice.space)
        }["name"]
        #expect(try #require(cell).stamp.wall.milliseconds < Time.start + Time.hour)
    }

    @Test func `C12 shifting back does not put a change below what its author had seen`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await two.set("name", .text("theirs"), at: Time.start)
        try await settle([two, one], &log, at: Time.start)
        one.wallError = Time.hour
        try await one.set("name", .text("mine"), at: Time.start - Time.hour)
        try await one.replica.write { [anchor = one.anchor(at: Time.start)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await settle([one, two], &log, at: Time.start + 1)
        #expect(try await two.value("name") == .text("mine"))
        // Above its own sealed and unsent writes too.
        try await one.set("name", .text("first"), at: Time.start)
        try await one.seal(at: Time.start)
        one.wallError = 2 * Time.hour
        try await one.set("name", .text("second"), at: Time.start - Time.hour)
        try await one.replica.write { [anchor = one.anchor(at: Time.start)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await settle([one, two], &log, at: Time.start + 2)
        #expect(try await two.value("name") == .text("second"))
    }

    @Test func `C11 a cell far ahead does not lock out later edits over it`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.year
        one.hearsTime = false
        try await one.set("name", .text("ahead"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await settle([two], &log, at: Time.start)
        try await two.set("name", .text("later"), at: Time.start + 1)
        try await settle([two, one], &log, at: Time.start + 2)
        #expect(try await one.value("name") == .text("later"))
    }

    @Test(arguments: [Int64.min, .max, .min / 2, .max / 2])
    func `a server's impossible time stops nobody`(time: Int64) async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for boot in [Int64.min, 0, .max] {
            try await one.set("name", .integer(boot), at: Time.start)
            try await one.replica.write { [name = one.boot] in
                try $0.clockPeriods.learn(
                    ClockAnchor(bootMilliseconds: time &+ boot, boot: name)
                )
            }
            for wall in [Int64.min, .max] {
                let moment = Moment(
                    wall: UnixTime(milliseconds: wall),
                    uptimeMilliseconds: 5,
                    boot: one.boot
                )
                try await one.set("notes", .integer(wall), at: Time.start)
                try await one.replica.write { try $0.sealer.seal(at: moment) }
            }
        }
        one.hearsTime = false
        try await one.settle(&log, at: Time.start)
        #expect(try await one.replica.read { try $0.maintenance.verify() }.faults == [])
    }
}
