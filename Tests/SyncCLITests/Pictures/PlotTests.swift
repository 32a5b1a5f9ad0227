import SyncCore
import Testing

@testable import SyncCLI

@Suite struct PlotTests {
    private static func speedLines(_ samples: [Sample], against: Abscissa = .time) -> [[Plot.Point]]
    {
        Walk.picture(samples, against: against).plots.first { $0.quantity == .speed }?.lines ?? []
    }

    @Test func `a plot is made of each quantity that was read`() {
        let samples = Walk.samples(60) { index, sample in
            sample[.altitude] = Double(index)
            sample[.heartRate] = 120
            sample[.heel] = -3
        }
        let titles = Walk.picture(samples, sport: "sailing").plots.map(\.title)
        #expect(titles == ["elevation, m", "speed, kn", "heart rate, bpm", "heel, degrees"])
        var preferences = Preferences()
        preferences.distance = .imperial
        preferences.speed = .milesPerHour
        let run = Walk.picture(samples, sport: "Trail running", preferences)
        #expect(run.plots.prefix(2).map(\.title) == ["elevation, ft", "pace, min/mi"])
    }

    @Test(
        arguments: [
            ("sailing", nil, .time), ("Running", nil, .distance),
            ("mountain biking", nil, .distance),
            (nil, nil, .time), ("hiking", .time, .time), ("sailing", .distance, .distance),
        ] as [(String?, Abscissa?, Abscissa)]
    )
    func `a plot is against what the sport is measured by, or a person says`(
        sport: String?,
        wanted: Abscissa?,
        abscissa: Abscissa
    ) {
        let picture = Walk.picture(Walk.samples(60), sport: sport, against: wanted)
        #expect(picture.abscissa == abscissa)
    }

    @Test func `where there are no times, plots are against the distance, and the other way round`()
    {
        let timeless = Walk.samples(60) { index, sample in
            sample[count: .time] = nil
            sample[.altitude] = Double(index)
        }
        #expect(Walk.picture(timeless, against: .time).abscissa == .distance)
        let placeless = Walk.samples(60) { index, sample in
            sample[count: .latitude] = nil
            sample[.heel] = Double(index)
        }
        let picture = Walk.picture(placeless, against: .distance)
        #expect(picture.abscissa == .time)
        #expect(picture.lines.isEmpty)
        #expect(picture.plots.map(\.quantity) == [.heel])
    }

    @Test func `a plot is as long as the track, also of a log of two runs`() throws {
        let runs = Walk.samples(60) { index, sample in
            sample[.heel] = 1
            guard index >= 30 else { return }
            // The earlier run comes later, and elsewhere.
            sample[count: .time] = sample[count: .time].map { $0 - 3_000_000 }
            sample[.longitude] = 5.1
        }
        var totals = RunningTotals(.usual, sport: .other)
        for sample in runs { totals.add(sample) }
        let plots = Walk.picture(runs, against: .distance).plots
        let heel = try #require(plots.first { $0.quantity == .heel })
        let end = try #require(heel.lines.joined().map(\.x).max())
        #expect(abs(totals.totals.metres - 2 * 29 * 3) < 1)
        #expect(abs(end - totals.totals.metres) < 0.01)
    }

    @Test func `speeds are those of the places where the receiver told none`() {
        let lines = Self.speedLines(Walk.samples(100))
        #expect(lines.count == 1)
        #expect(lines[0].count == 100)
        #expect(lines[0].allSatisfy { abs($0.y - 3 * 3600 / 1852) < 0.05 })
        let rare = Self.speedLines(Walk.samples(20, everySeconds: 50))
        #expect(rare.joined().count == 20)
        #expect(rare.joined().allSatisfy { abs($0.y - 3 * 3600 / 1852) < 0.05 })
    }

    @Test(
        arguments: [
            // What happens at 50 of 100 samples, and how many lines there are then.
            (0, 0, 0, 1), (30, 0, 0, 1), (120, 0, 0, 2), (0, 1, 0, 2), (0, 0, 1, 2),
        ] as [(Int64, Int64, Int64, Int)]
    )
    func `a pause, a silence and a step back are gaps`(
        silence: Int64,
        segment: Int64,
        back: Int64,
        count: Int
    ) {
        let samples = Walk.samples(100) { index, sample in
            sample[.speed] = 3
            guard index >= 50 else { return }
            sample[count: .segment] = segment
            sample.time?.milliseconds += (silence - back * 40) * 1000
        }
        #expect(Self.speedLines(samples).count == count)
    }

    @Test func `a logger that is rarely heard of has no gaps`() {
        let samples = Walk.samples(50, everySeconds: 300) { $1[.speed] = 3 }
        #expect(Self.speedLines(samples).count == 1)
    }

    @Test func `a spike does not flatten a plot, and is told`() throws {
        let samples = Walk.samples(500) { index, sample in
            sample[.speed] = index == 250 ? 170 : 3 + Double(index % 7) / 10
        }
        let plot = try #require(Walk.picture(samples).plots.first)
        #expect(plot.range.upperBound < 8)
        #expect(plot.spike == "330.5")
        #expect(plot.cut(330) == plot.range.upperBound)
        #expect(plot.height(plot.cut(330), on: plot.axis(count: 3)) <= 1)
    }

    @Test func `who stands has no pace, and the fastest is at the top`() throws {
        let samples = Walk.samples(100) { index, sample in
            sample[.speed] = index < 20 ? 0.1 : 2.5 + Double(index % 10) / 10
        }
        let plot = try #require(Walk.picture(samples, sport: "running").plots.first)
        #expect(plot.quantity == .pace)
        #expect(plot.lines.joined().count == 80)
        let axis = plot.axis(count: 4)
        #expect(plot.height(300, on: axis) > plot.height(400, on: axis))
    }

    @Test func `times that no calendar has, and lone readings, are drawn or left out`() {
        let samples = Walk.samples(20) { index, sample in
            sample[.speed] = index % 2 == 0 ? 1e9 : -1e9
            if index == 5 { sample.time = UnixTime(milliseconds: .max) }
            if index == 7 { sample.time = UnixTime(milliseconds: .min) }
            if index == 9 { sample.time = UnixTime(milliseconds: 0) }
        }
        let picture = Walk.picture(samples)
        #expect(picture.plots.count == 1)
        let text = picture.text(columns: nil)
        #expect(text.contains("(cut: ") == false)
        #expect(text.contains("1983-09-10"))
    }

    @Test func `of a long track no more is kept than is seen, with its peaks`() throws {
        let samples = Walk.samples(40_000) { index, sample in
            sample[.heel] = index == 20_001 ? 40 : Double(index % 7)
        }
        let plot = try #require(Walk.picture(samples).plots.first { $0.quantity == .heel })
        let line = try #require(plot.lines.first)
        #expect(plot.lines.count == 1)
        #expect((4096...16_384).contains(line.count))
        #expect(line.map(\.y).max() == 40)
        let end = Double(Walk.start) / 1000 + 39_999
        #expect(line.first?.x == Double(Walk.start) / 1000 && line.last?.x == end)
    }

    @Test func `a reading that nothing reads is drawn as far as it can be counted`() throws {
        let samples = Walk.samples(9) { index, sample in
            sample[count: .heel] = [Int64.min, 0, .max][index % 3]
        }
        let plot = try #require(Walk.picture(samples).plots.first { $0.quantity == .heel })
        let values = Set(plot.lines.joined().map(\.y))
        #expect(values == [Double(-Int32.max) / 10, 0, Double(Int32.max) / 10])
    }

    @Test(arguments: 0...2)
    func `a moment is no plot`(count: Int) {
        let picture = Walk.picture(
            Walk.samples(count) { $1[.altitude] = 5 },
            against: .time
        )
        #expect(picture.plots.isEmpty == (count < 2))
        #expect(picture.isEmpty == (count == 0))
        let still = Walk.samples(count, everySeconds: 0) { $1[.altitude] = 5 }
        #expect(Walk.picture(still, against: .distance).plots.isEmpty)
    }
}
