import SyncCore
import Testing

@testable import SyncCLI

/// Times of a track of which an hour is shown, from 11:30 on its clocks.
@Suite struct TrackTimeTests {
    private static func minutes(_ text: String, recorded: ClosedRange<Int64>?) throws -> Int64 {
        let track = Walk.track(
            start: UnixTime(milliseconds: Walk.start),
            offsetMinutes: 120,
            seconds: 3600
        )
        let range = recorded.map {
            UnixTime(milliseconds: $0.lowerBound)...UnixTime(milliseconds: $0.upperBound)
        }
        let time = try TrackTime(of: track, recorded: range)(text)
        return (time.milliseconds - Walk.start) / 60_000
    }

    private static func ago(_ minutes: Int64) -> Int64 { Walk.start - minutes * 60_000 }

    @Test(
        arguments: [
            ("11:30", 0, 0), ("11:45", 15, 15), ("12:30", 60, 60), ("13:30", 120, 120),
            ("11:29:30", 1439, 0), ("11:00", 1410, -30), ("10:00", 1350, -90),
            // Not recorded either, and nearer to the beginning; nearer to the end; of another day.
            ("09:00", 1290, -150), ("02:00", 870, -570), ("14:30", 180, 180), ("23:00", 690, 690),
            ("+5:00", 5, 5),
        ] as [(String, Int64, Int64)]
    )
    func `a time of day is one of what is shown, else of what was recorded, where that is told`(
        text: String,
        shown: Int64,
        found: Int64
    ) throws {
        #expect(try Self.minutes(text, recorded: nil) == shown)
        let recorded = Self.ago(90)...Self.ago(-150)
        #expect(try Self.minutes(text, recorded: recorded) == found)
    }

    @Test(arguments: [.min ... .max, .min...Walk.start, Walk.start ... .max])
    func `times at the ends of all time are times like any other`(
        recorded: ClosedRange<Int64>
    ) throws {
        #expect(try Self.minutes("11:45", recorded: recorded) == 15)
        let before = try Self.minutes("11:00", recorded: recorded)
        #expect(before == (recorded.upperBound == .max && recorded.lowerBound > 0 ? 1410 : -30))
    }
}
