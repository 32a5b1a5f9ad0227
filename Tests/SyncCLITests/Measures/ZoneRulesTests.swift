import SyncCore
import Testing

@testable import SyncCLI

/// The rules of the system's database, which for these years will not change any more.
@Suite struct ZoneRulesTests {
    private static func instant(_ text: String) throws -> UnixTime {
        let time = UnixTime(iso8601: text.utf8)
        return try #require(time)
    }

    private static func start(_ time: String, _ zone: String, minutes: Int? = nil) throws
        -> TrackStart
    {
        let offset = minutes.flatMap { UTCOffset(minutes: $0) }
        return TrackStart(try instant(time), offset: offset, zone: ZoneName(zone))
    }

    private static func text(_ time: String, of start: TrackStart) throws -> String {
        Preferences().time(try instant(time), of: start)
    }

    /// Zone, start, finish, and what the clocks showed.
    @Test(
        arguments: [
            // Forward and back, in the north.
            (
                "Europe/Amsterdam", ["2025-03-30T00:59:00Z", "2025-03-30T01:00:00Z"],
                ["2025-03-30 01:59 +01:00", "2025-03-30 03:00 +02:00"]
            ),
            (
                "Europe/Amsterdam", ["2025-10-26T00:59:00Z", "2025-10-26T01:59:00Z"],
                ["2025-10-26 02:59 +02:00", "2025-10-26 02:59 +01:00"]
            ),
            (
                "America/New_York", ["2025-11-02T05:30:00Z", "2025-11-02T06:30:00Z"],
                ["2025-11-02 01:30 -04:00", "2025-11-02 01:30 -05:00"]
            ),
            // In the south summer ends in April; Lord Howe's clocks change by half an hour.
            (
                "Australia/Sydney", ["2025-04-05T15:59:00Z", "2025-04-05T16:00:00Z"],
                ["2025-04-06 02:59 +11:00", "2025-04-06 02:00 +10:00"]
            ),
            (
                "Australia/Lord_Howe", ["2025-10-04T15:29:00Z", "2025-10-04T15:30:00Z"],
                ["2025-10-05 01:59 +10:30", "2025-10-05 02:30 +11:00"]
            ),
            // Half and quarter hours.
            (
                "Asia/Kolkata", ["2025-06-30T18:29:00Z", "2025-06-30T18:30:00Z"],
                ["2025-06-30 23:59 +05:30", "2025-07-01 00:00 +05:30"]
            ),
            (
                "Asia/Kathmandu", ["2025-12-31T18:14:00Z", "2025-12-31T18:15:00Z"],
                ["2025-12-31 23:59 +05:45", "2026-01-01 00:00 +05:45"]
            ),
            (
                "America/St_Johns", ["2025-07-01T02:29:00Z", "2025-07-01T02:30:00Z"],
                ["2025-06-30 23:59 -02:30", "2025-07-01 00:00 -02:30"]
            ),
            // A day that was left out: Samoa went over the date line.
            (
                "Pacific/Apia", ["2011-12-30T09:59:00Z", "2011-12-30T10:00:00Z"],
                ["2011-12-29 23:59 -10:00", "2011-12-31 00:00 +14:00"]
            ),
        ] as [(String, [String], [String])]
    )
    func `the clocks of a track are those of its zone, at each instant`(
        zone: String,
        times: [String],
        shown: [String]
    ) throws {
        let start = try Self.start(times[0], zone, minutes: 0)
        #expect(try times.map { try Self.text($0, of: start) } == shown)
        #expect(start.day == String(shown[0].prefix(10)))
    }

    @Test func `without a zone the offset holds, and without both UTC`() throws {
        let times = ["2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z"]
        let fixed = TrackStart(try Self.instant(times[0]), offset: UTCOffset(minutes: 120))
        #expect(
            try times.map { try Self.text($0, of: fixed) }
                == ["2025-10-26 02:30 +02:00", "2025-10-26 03:30 +02:00"]
        )
        let unknown = TrackStart(fixed.time)
        #expect(try Self.text(times[0], of: unknown) == "2025-10-26 00:30 UTC")
        #expect(Preferences().time(fixed.time, of: nil) == "2025-10-26 00:30 UTC")
    }

    @Test func `a zone that is not here leaves the offset, and is told`() throws {
        let start = try Self.start("2025-06-30T23:30:00Z", "Mars/Olympus_Mons", minutes: 45)
        #expect(start.offset(at: start.time)?.minutes == 45)
        #expect(start.day == "2025-07-01")
        #expect(
            Preferences().text(start)
                == "2025-07-01 00:15 +00:45, Mars/Olympus_Mons (not known here)"
        )
        let bare = try Self.start("2025-06-30T23:30:00Z", "Mars/Olympus_Mons")
        #expect(bare.offset(at: bare.time) == nil && bare.day == "2025-06-30")
    }

    @Test(arguments: ["America", "Europe", "Etc/Nothing", "Zone", "A", "Z+-_"])
    func `what is no zone of the database is none`(name: String) throws {
        let zone = try #require(ZoneName(name))
        #expect(ZoneRules.offset(of: zone, at: UnixTime(milliseconds: 0)) == nil)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `no instant traps in a zone`(milliseconds: Int64) throws {
        let start = TrackStart(
            UnixTime(milliseconds: milliseconds),
            offset: UTCOffset(minutes: -1080),
            zone: ZoneName("Pacific/Kiritimati")
        )
        #expect(Preferences().text(start).contains("Kiritimati"))
        #expect((start.day == nil) == (milliseconds.magnitude > 1))
    }

    @Test func `threads may ask at once`() async throws {
        let zones = ["Europe/Paris", "Asia/Tokyo", "Africa/Cairo", "Europe/Paris"]
        let time = try Self.instant("2020-01-01T00:00:00Z")
        let minutes = await withTaskGroup { group in
            for zone in zones.compactMap({ ZoneName($0) }) {
                for _ in 0..<50 { group.addTask { ZoneRules.offset(of: zone, at: time)?.minutes } }
            }
            return await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(minutes == [60, 540, 120])
    }
}
