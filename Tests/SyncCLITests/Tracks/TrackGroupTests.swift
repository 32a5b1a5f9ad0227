import SyncCore
import Testing

@testable import SyncCLI

@Suite struct TrackGroupTests {
    private static func track(
        _ milliseconds: Int64?,
        offset: Int? = nil,
        sport: String? = nil,
        metres: Double = 1000,
        missing: Int = 0
    ) -> Track {
        Walk.track(
            sport: sport,
            start: milliseconds.map { UnixTime(milliseconds: $0) },
            offsetMinutes: offset,
            metres: metres,
            missing: missing
        )
    }

    /// Noon of a day, as days since 1970.
    private static func noon(_ day: Int64) -> Int64 { day * 86_400_000 + 43_200_000 }

    @Test(
        arguments: [
            (0, "1970-W01"), (-1, "1970-W01"), (-4, "1969-W52"), (3, "1970-W01"), (4, "1970-W02"),
            (14_610, "2009-W53"), (14_613, "2010-W01"), (18_992, "2021-W52"), (20_574, "2026-W18"),
            (20_578, "2026-W19"), (20_819, "2026-W53"), (20_822, "2027-W01"), (11_016, "2000-W09"),
        ] as [(Int64, String)]
    )
    func `weeks are those of ISO 8601`(day: Int64, week: String) {
        #expect(TrackGrouping.week.name(of: Self.track(Self.noon(day))) == week)
    }

    @Test(
        arguments: [
            (.day, "2026-05-02"), (.week, "2026-W18"), (.month, "2026-05"), (.year, "2026"),
            (.sport, "sailing"),
        ] as [(TrackGrouping, String)]
    )
    func `a track belongs to the day on its own clocks`(grouping: TrackGrouping, name: String) {
        let track = Self.track(1_777_674_600_000, offset: 120, sport: "Sailing")
        #expect(grouping.name(of: track) == name)
        #expect(grouping.name(of: Self.track(nil)) == nil)
        #expect(grouping.name(of: Self.track(.max)) == nil)
    }

    @Test func `periods are in order, and what is unknown is told last`() {
        let days: [Int64?] = [nil, 0, 100, 50, nil, 100]
        let tracks = days.map { day in
            Self.track(day.map(Self.noon), metres: 500)
        }
        let groups = TrackGroup.groups(of: tracks, by: .day)
        #expect(groups.map(\.name) == ["1970-04-11", "1970-02-20", "1970-01-01", nil])
        #expect(groups.map(\.totals.count) == [2, 1, 1, 2])
        #expect(groups.map(\.totals.metres) == [1000, 500, 500, 1000])
    }

    @Test func `sports are in the order of distance`() {
        let ways: [(String?, Double)] = [
            ("Run", 5), ("sail", 9), ("run", 6), ("golf", 9), (nil, 99),
        ]
        let tracks = ways.map { Self.track(0, sport: $0.0, metres: $0.1) }
        let names = TrackGroup.groups(of: tracks, by: .sport).map(\.name)
        #expect(names == ["run", "golf", "sail", nil])
    }

    @Test func `totals tell what is not known`() {
        var totals = TrackSums([Self.track(nil)])
        #expect(totals.milliseconds == nil)
        #expect(totals.words(Preferences()) == "1 track, 1.00 km, –")
        totals.add(Self.track(0, missing: 2))
        totals.add(Self.track(0, metres: 2500))
        #expect(totals.words(Preferences()) == "3 tracks, 3.50 km, 2:00")
        #expect(totals.partialCount == 1)
        #expect(totals.longestMetres == 2500)
    }

    @Test func `no time is too long to be added up`() {
        let long = Walk.track(start: UnixTime(milliseconds: 0), seconds: .max / 2000)
        #expect(TrackSums([long, long, long]).milliseconds == .max)
    }
}
