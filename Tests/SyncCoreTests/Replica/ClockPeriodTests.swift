@testable import SyncCore
import Testing

/// A clock that was wrong when a change was written, and is right when it is sealed.
@Suite struct ClockPeriodTests {
    fileprivate static let minute = 60 * Time.second

    /// A device that edits under a wrong clock, and another that edits a minute later.
    private struct Pair {
        let (one, two): (TestDevice, TestDevice)
        private var log = LogDouble(keys: TestDevice.spaceKeys)

        init() async throws {
            (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        }

        /// Writes under a clock that is wrong, and later with the other device.
        func write(_ error: Int64) async throws {
            one.wallError = error
            try await one.set("name", .text("earlier"), at: Time.start + ClockPeriodTests.minute)
            one.wallError = 0
            try await two.set("name", .text("later"), at: Time.start + 2 * ClockPeriodTests.minute)
        }

        func learn(at now: Int64) async throws {
            try await one.replica.write { [anchor = one.anchor(at: now)] in
                try $0.clockPeriods.learn(anchor)
            }
        }

        mutating func settle(at now: Int64) async throws {
            for device in [two, one, two, one] { try await device.settle(&log, at: now) }
        }

        /// The wrongly dated write, as its author's history has it.
        func entry() async throws -> HistoryEntry {
            let entries = try await one.replica.read {
                try $0.history.entries(
                    of: "track",
                    .id(Identifier(number: 1)),
                    in: TestDevice.space
                )
            }
            return try #require(entries.first { $0.change.cell.value == .text("earlier") })
        }

        func stamp() async throws -> Int64 {
            try await entry().change.cell.stamp.wall.milliseconds
        }

        func isUnchecked() async throws -> Bool { try await entry().isTimeUnchecked }
    }

    private static let errors = [
        2 * minute, -2 * minute, 2 * Time.hour, -2 * Time.hour, 10 * Time.year, -10 * Time.year,
        -2 * Time.start,
    ]

    @Test(arguments: errors)
    func `C1 C2 C3 an edit under a clock that was put right since has its true time`(error: Int64)
        async throws
    {
        var pair = try await Pair()
        try await pair.write(error)
        try await pair.learn(at: Time.start + 3 * Self.minute)
        try await pair.settle(at: Time.start + 3 * Self.minute)
        #expect(try await pair.one.value("name") == .text("later"))
        #expect(try await pair.two.value("name") == .text("later"))
        #expect(try await pair.stamp() == Time.start + Self.minute)
        #expect(try await pair.isUnchecked() == false)
    }

    @Test(arguments: errors)
    func `C5 the time of an earlier boot is known from a server that was met in it`(error: Int64)
        async throws
    {
        var pair = try await Pair()
        try await pair.write(error)
        try await pair.learn(at: Time.start + 3 * Self.minute)
        pair.one.boot = Identifier(number: 2)
        pair.one.bootDelay = Time.hour
        try await pair.learn(at: Time.start + 4 * Self.minute)
        try await pair.settle(at: Time.start + 4 * Self.minute)
        #expect(try await pair.two.value("name") == .text("later"))
        #expect(try await pair.stamp() == Time.start + Self.minute)
        #expect(try await pair.isUnchecked() == false)
    }

    @Test(arguments: [0, 2 * Time.hour, 10 * Time.year])
    func `C5 the history says that nobody checked the clock of an earlier boot`(error: Int64)
        async throws
    {
        var pair = try await Pair()
        try await pair.write(error)
        pair.one.boot = Identifier(number: 2)
        try await pair.one.set("notes", .text("in this boot"), at: Time.start + 3 * Self.minute)
        try await pair.learn(at: Time.start + 4 * Self.minute)
        try await pair.settle(at: Time.start + 4 * Self.minute)
        #expect(try await pair.isUnchecked() == true)
        // Not after what was written later by a clock that was checked.
        #expect(try await pair.stamp() <= Time.start + 3 * Self.minute)
        let entries = try await pair.one.replica.read {
            try $0.history.entries(of: "track", .id(Identifier(number: 1)), in: TestDevice.space)
        }
        #expect(entries.filter(\.isTimeUnchecked).map(\.change.key.field) == ["name"])
    }

    /// What was written in several boots, each with its own error; the stamps of the fields.
    private func stamps(
        _ writes: [(field: Text, boot: UInt64, error: Int64)],
        serverError: Int64? = nil
    ) async throws -> [Int64] {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for (minute, write) in zip(1..., writes) {
            (one.boot, one.wallError) = (Identifier(number: UInt128(write.boot)), write.error)
            let now = Time.start + Int64(minute) * Self.minute
            try await one.set(write.field, .text("written"), at: now)
            guard let serverError else { continue }
            let wrong = UnixTime(milliseconds: now + serverError)
            let (asked, answered) = (one.moment(now), one.moment(now))
            let anchor = ClockAnchor(server: wrong, asked: asked, answered: answered)
            try await one.replica.write { try $0.clockPeriods.learn(anchor) }
        }
        (one.boot, one.wallError) = (Identifier(number: 99), 0)
        let now = Time.start + Time.hour
        try await one.replica.write { [anchor = one.anchor(at: now)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await one.settle(&log, at: now)
        let cells = try await one.replica.read {
            try $0.rows.cells("track", .id(Identifier(number: 1)), in: TestDevice.space)
        }
        return writes.map { cells[$0.field]?.stamp.wall.milliseconds ?? 0 }
    }

    @Test func `C5 what a clock ahead stamped in an earlier boot keeps its distances`() async throws
    {
        let stamps = try await stamps([
            ("name", 1, 2 * Time.hour), ("notes", 1, 2 * Time.hour), ("sport", 1, 2 * Time.hour),
        ])
        #expect(zip(stamps, stamps.dropFirst()).map { $1 - $0 } == [Self.minute, Self.minute])
        #expect(try #require(stamps.last) <= Time.start + Time.hour)
    }

    @Test func `C5 a boot with a right clock stays where a later one was ahead`() async throws {
        let stamps = try await stamps([("name", 1, 0), ("notes", 2, 2 * Time.hour)])
        #expect(stamps.first == Time.start + Self.minute)
    }

    @Test func `C9 a server that was ahead in an earlier boot moves nothing into the future`()
        async throws
    {
        let stamps = try await stamps(
            [("name", 1, 0), ("notes", 1, 0)],
            serverError: 24 * Time.hour
        )
        #expect(stamps.allSatisfy { $0 <= Time.start + Time.hour })
        #expect(stamps == stamps.sorted())
    }

    @Test func `a clock that is set several times gives each edit its own error`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let fields: [Text] = ["name", "notes", "sport", "colour", "device"]
        let errors = [Time.hour, -Time.hour, 0, Time.hour, Time.year]
        for (index, (field, error)) in zip(fields, errors).enumerated() {
            one.wallError = error
            let now = Time.start + Int64(index + 1) * Self.minute
            try await one.set(field, .text("set"), at: now)
        }
        one.wallError = 0
        let now = Time.start + Time.hour
        try await one.replica.write { [anchor = one.anchor(at: now)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await one.settle(&log, at: now)
        let cells = try await one.replica.read {
            try $0.rows.cells("track", .id(Identifier(number: 1)), in: TestDevice.space)
        }
        let walls = fields.map { cells[$0]?.stamp.wall.milliseconds }
        #expect(walls == (1...5).map { Time.start + $0 * Self.minute })
    }

    @Test func `a period is stored once, and only as long as a change needs it`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        func periods() async throws -> Int {
            try await one.replica.read { try $0.clockPeriods.all() }.count
        }
        // NTP slews the clock.
        for (second, error) in zip(1..., [0, 100, 400, 0, -400] as [Int64]) {
            one.wallError = error
            try await one.set("name", .integer(error), at: Time.start + Int64(second) * Time.second)
        }
        #expect(try await periods() == 1)
        for step in 1...20 as ClosedRange<Int64> {
            one.wallError = step * Time.hour
            try await one.set("notes", .integer(step), at: Time.start + step * Self.minute)
        }
        // One of the name, one of the notes, and the one before it.
        #expect(try await periods() <= 3)
        try await one.settle(&log, at: Time.start + Time.hour)
        one.wallError = 0
        one.boot = Identifier(number: 2)
        try await one.set("name", .text("in the next boot"), at: Time.start + 2 * Time.hour)
        #expect(try await periods() == 1)
    }

    @Test func `the mark of a set goes with the set`() async throws {
        var pair = try await Pair()
        try await pair.write(0)
        pair.one.boot = Identifier(number: 2)
        try await pair.learn(at: Time.start + 3 * Self.minute)
        try await pair.settle(at: Time.start + 3 * Self.minute)
        func marks() async throws -> Int64? {
            try await pair.one.replica.read {
                try $0.database.first("SELECT count(*) FROM unchecked_time") { $0.integer(0) }
            }
        }
        #expect(try await marks() == 1)
        try await pair.one.replica.damage("DELETE FROM sealed")
        #expect(try await marks() == 0)
    }

    @Test func `a damaged period counts as unknown`() async throws {
        // In the start, the boot and the true time.
        for place in [31, 8, 40] {
            var pair = try await Pair()
            try await pair.write(2 * Time.hour)
            try await pair.learn(at: Time.start + 3 * Self.minute)
            try await pair.one.replica.damage(
                """
                UPDATE self SET clock_periods = CAST(substr(clock_periods, 1, \(place))
                    || x'a5' || substr(clock_periods, \(place + 2)) AS BLOB)
                """
            )
            try await pair.settle(at: Time.start + 3 * Self.minute)
            #expect(try await pair.isUnchecked() == true, "\(place)")
            let stamp = try await pair.stamp()
            #expect(stamp <= Time.start + 3 * Self.minute, "\(place)")
        }
    }
}
