@testable import SyncCore
import Testing

@Suite struct SplitsTests {
    @Test(
        arguments: [
            (.kilometre, [1000, 1000, 1000, 500]), (.mile, [1609.344, 1609.344, 281.312]),
            (.nauticalMile, [1852, 1648]),
        ] as [(Split.Unit, [Double])]
    )
    func `a way has whole parts, and what is left`(unit: Split.Unit, metres: [Double]) {
        var walk = Walk()
        walk.go(5, for: 700, step: 7)
        let splits = walk.figures().path.splits(every: unit.metres)
        #expect(splits.count == metres.count)
        for (split, metres) in zip(splits, metres) {
            #expect(abs(split.metres - metres) < 0.05)
            // One goes evenly between two fixes, so the boundary needs none.
            #expect(abs((split.seconds ?? 0) - metres / 5) < 0.02)
        }
        let sum = splits.reduce(0) { $0 + $1.metres }
        #expect(abs(sum - walk.figures().totals.metres) < 1e-6)
    }

    @Test func `a pause takes no time of a split`() {
        var walk = Walk()
        walk.go(5, for: 100)
        walk.pause(3600)
        walk.go(5, for: 150)
        let splits = walk.figures().path.splits(every: 1000)
        #expect(splits.count == 2 && abs((splits[0].seconds ?? 0) - 200) < 0.1)
    }

    @Test func `without times a split has a length alone`() {
        var walk = Walk()
        walk.go(5, for: 300)
        let samples = walk.samples.map { sample in
            var sample = sample
            sample.time = nil
            return sample
        }
        let splits = Walk.figures(samples).path.splits(every: 1000)
        #expect(splits.count == 2 && splits.allSatisfy { $0.seconds == nil })
    }

    @Test func `a way around the world again and again has no more splits than the limit`() {
        let samples = (0..<20).map { index in
            var sample = Sample(time: UnixTime(milliseconds: Walk.start + Int64(index) * 1000))
            sample[.latitude] = 0
            sample[.longitude] = Double(index % 3) * 120 - 180
            return sample
        }
        let splits = Walk.figures(samples, .off).path.splits(every: 1000)
        #expect(splits.count == Split.limit)
    }

    @Test(
        arguments: [
            (0, 100, 500, 100), (50, 150, 250, 50), (150, 250, 250, 50), (-50, 400, 1000, 200),
            (120, 180, 0, 0),
        ] as [(Int64, Int64, Double, Double)]
    )
    func `a span is what lies between two times`(
        start: Int64,
        end: Int64,
        metres: Double,
        seconds: Double
    ) throws {
        var walk = Walk()
        walk.go(5, for: 100, step: 4)
        walk.pause(100)
        walk.go(5, for: 100, step: 4)
        let path = walk.figures().path
        let span = try #require(
            path.span(
                from: UnixTime(milliseconds: Walk.start + start * 1000),
                to: UnixTime(milliseconds: Walk.start + end * 1000)
            )
        )
        #expect(abs(span.metres - metres) < 0.05)
        #expect(abs((span.seconds ?? 0) - seconds) < 0.001)
    }

    @Test func `where times go back nobody knows where one was`() {
        var walk = Walk()
        walk.go(5, for: 100)
        walk.turnClock(-50)
        walk.go(5, for: 100)
        let times = [Int64.min, Walk.start, .max].map(UnixTime.init(milliseconds:))
        let path = walk.figures().path
        #expect(times.allSatisfy { path.span(from: $0, to: times[2]) == nil })
    }
}
