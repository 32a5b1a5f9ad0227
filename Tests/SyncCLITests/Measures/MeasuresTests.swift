import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

@Suite struct MeasuresTests {
    @Test(
        arguments: [
            (.metric, 0, "0 m"), (.metric, 950.4, "950 m"), (.metric, 999.6, "1.00 km"),
            (.metric, 1234, "1.23 km"), (.metric, 123_456, "123.5 km"),
            (.nautical, 1852, "1.00 NM"),
            (.nautical, 100, "0.05 NM"), (.imperial, 30, "98 ft"), (.imperial, 1609.344, "1.00 mi"),
        ] as [(DistanceUnit, Double, String)]
    )
    func `a distance is shown in a unit`(unit: DistanceUnit, metres: Double, text: String) {
        #expect(unit.text(metres: metres) == text)
    }

    @Test(arguments: [
        (SpeedUnit.metresPerSecond, "5.0 m/s"), (.kilometresPerHour, "18.0 km/h"),
        (.knots, "9.7 kn"), (.milesPerHour, "11.2 mph"),
    ])
    func `a speed is shown in a unit`(unit: SpeedUnit, text: String) {
        #expect(unit.text(metresPerSecond: 5) == text)
    }

    @Test(
        arguments: [
            (.metric, 4, "4:10 /km"), (.imperial, 4, "6:42 /mi"), (.metric, 0.28, "59:31 /km"),
            // One who stands has none.
            (.metric, 0.27, "–"), (.metric, 0, "–"), (.metric, -1, "–"), (.metric, .nan, "–"),
            (.metric, .infinity, "0:00 /km"), (.metric, nil, "–"),
        ] as [(DistanceUnit, Double?, String)]
    )
    func `a pace is shown where there is one`(unit: DistanceUnit, speed: Double?, text: String) {
        var preferences = Preferences()
        preferences.distance = unit
        #expect(preferences.pace(speed) == text)
    }

    @Test(
        arguments: [
            (0, 0, "1970-01-01 00:00"), (951_782_400_000, 0, "2000-02-29 00:00"),
            (1_777_627_800_250, 120, "2026-05-01 11:30"), (-1, 0, "1969-12-31 23:59"),
            (0, -330, "1969-12-31 18:30"), (4_107_542_400_000, 0, "2100-03-01 00:00"),
        ] as [(Int64, Int, String)]
    )
    func `an instant is shown by a clock`(milliseconds: Int64, offset: Int, text: String) {
        let time = UnixTime(milliseconds: milliseconds)
        #expect(CalendarTime(time, offset: UTCOffset(minutes: offset)).short() == text)
    }

    @Test(arguments: [(0, "12:00 am"), (11, "11:00 am"), (12, "12:00 pm"), (23, "11:00 pm")])
    func `a clock of twelve hours tells the half of the day`(hour: Int64, text: String) {
        let time = UnixTime(milliseconds: hour * 3_600_000)
        #expect(CalendarTime(time).short(isTwelveHour: true) == "1970-01-01 " + text)
    }

    @Test(arguments: [Int64.min, .max], [-1080, 1080])
    func `no instant traps when a clock shows it`(milliseconds: Int64, offset: Int) {
        let time = UnixTime(milliseconds: milliseconds)
        #expect(CalendarTime(time, offset: UTCOffset(minutes: offset)).short().contains("-"))
    }

    @Test(
        arguments: [
            (0, "0:00"), (7900, "0:07"), (754_000, "12:34"), (3_723_000, "1:02:03"),
            (-5000, "-0:05"),
        ] as [(Int64, String)]
    )
    func `a duration is shown in hours, minutes and seconds`(milliseconds: Int64, text: String) {
        #expect(Elapsed.text(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (0, "just now"), (300_000, "5 min ago"), (7_200_000, "2 h ago"),
            (864_000_000, "10 d ago"),
        ] as [(Int64, String)]
    )
    func `a moment is told in the largest unit`(milliseconds: Int64, text: String) {
        #expect(Elapsed.ago(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (0, "correct (off by 0.0 s)"), (-2000, "correct (off by 2.0 s)"),
            (2100, "2.1 s behind the server's"), (-59_999, "60.0 s ahead of the server's"),
            (60_000, "1 min behind the server's"), (-312_000, "5 min 12 s ahead of the server's"),
            (11_100_000, "3 h 5 min behind the server's"),
            (-34_560_000_000, "400 d ahead of the server's"),
            (93_600_000, "1 d 2 h behind the server's"),
            (.min, "106751991167 d 7 h ahead of the server's"),
        ] as [(Int64, String)]
    )
    func `a clock that is off is told in units that can be read`(
        milliseconds: Int64,
        text: String
    ) {
        #expect(ClockOffset(milliseconds: milliseconds).words == text)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (3400, "3.4 kB"), (999_960, "1.0 MB"), (2.5e8, "250 MB"),
    ])
    func `bytes are counted in powers of a thousand`(count: Double, text: String) {
        #expect(ByteCount.text(count) == text)
    }
}
