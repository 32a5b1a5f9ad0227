@testable import SyncCore
import Harness
import Testing

@Suite struct TrackFiguresTests {
    /// All that can be told of figures, as text.
    private func told(_ figures: TrackFigures) -> String {
        """
        \(figures.totals) \(String(describing: figures.climb.metres)) \
        \(figures.speeds.percentiles([0.5, 0.9, 1])) \(figures.heartRate.seconds) \
        \(String(describing: figures.manoeuvres)) \(figures.bestEfforts) \
        \(figures.path.splits(every: 1000).prefix(50)) \
        \(String(describing: figures.path.place(at: Walk.start + 60_000)))
        """
    }

    @Test(arguments: Rounds.seeds(8))
    func `no samples stop it, and the same ones have the same figures`(seed: UInt64) {
        let samples = RandomTrack.samples(seed: seed, count: 800)
        let first = Walk.figures(samples, sport: .sail)
        let second = Walk.figures(samples, sport: .sail)
        #expect(told(first) == told(second))
        let totals = first.totals
        #expect(totals.metres.isFinite && totals.metres >= 0)
        #expect(totals.movingMetres <= totals.metres)
        for seconds in [totals.movingSeconds, totals.stoppedSeconds, totals.pausedSeconds] {
            #expect(seconds.isFinite && seconds >= 0)
        }
        _ = Walk.figures(samples, .off)
    }

    @Test(arguments: Rounds.seeds(3))
    func `what was asked for in between changes nothing in the end`(seed: UInt64) {
        let samples = RandomTrack.samples(seed: seed, count: 500)
        var pieces = TrackFigures(.usual, sport: .sail, zones: [100, 120])
        for (index, sample) in BelievedSamples.all(of: samples, .usual).enumerated() {
            pieces.add(sample)
            if index.isMultiple(of: 97) { _ = told(pieces) }
        }
        #expect(told(pieces) == told(Walk.figures(samples, sport: .sail, zones: [100, 120])))
    }

    @Test(
        arguments: [[], [Sample()], [Sample(time: UnixTime(milliseconds: .min))]] as [[Sample]]
    )
    func `of nothing there is nothing to tell`(samples: [Sample]) {
        let figures = Walk.figures(samples)
        #expect(figures.totals.metres == 0 && figures.totals.elapsedSeconds == 0)
        #expect(figures.climb.metres == nil && figures.speeds.greatest == nil)
        #expect(figures.bestEfforts.isEmpty && figures.path.splits(every: 1000).isEmpty)
        #expect(figures.path.place(at: 0) == nil)
    }

    @Test func `a flagged fix counts nowhere`() {
        var walk = Walk()
        walk.go(3, for: 300)
        let clean = walk.figures()
        var samples = walk.samples
        samples[150][.latitude] = 1
        samples[150][count: .altitude] = 90_000
        let figures = Walk.figures(samples, FixRule(sport: "running"))
        #expect(abs(figures.totals.metres - clean.totals.metres) < 0.05)
        #expect(figures.totals.elapsedSeconds == 300)
        #expect(figures.climb.metres == nil)
        #expect((figures.speeds.greatest ?? 99) < 3.2)
    }
}
