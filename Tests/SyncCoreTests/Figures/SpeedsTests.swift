@testable import SyncCore
import Testing

@Suite struct SpeedsTests {
    @Test(arguments: [1.0, 2, 5]) func `percentiles go by time`(step: Double) {
        var walk = Walk()
        walk.go(2, for: 600, step: step)
        walk.go(4, for: 300, step: step)
        walk.go(6, for: 100, step: step)
        let speeds = walk.figures().speeds
        let percentiles = speeds.percentiles([0.5, 0.85, 0.95, 1])
        let expected = [2.0, 4, 6, 6]
        #expect(zip(percentiles, expected).allSatisfy { abs($0 - $1) < 0.05 })
        #expect(abs((speeds.greatest ?? 0) - 6) < 0.02)
    }

    @Test(arguments: [(.usual, 3, 3.6), (FixRule(sport: "running"), 30, 3.05)])
    func `one fix that is off makes no record`(rule: FixRule, metres: Double, greatest: Double) {
        var walk = Walk()
        walk.go(3, for: 100)
        var samples = walk.samples
        samples[50][.latitude] = (samples[50][.latitude] ?? 0) + metres / 110_574
        #expect((Walk.figures(samples, rule).speeds.greatest ?? 99) <= greatest)
    }

    @Test func `stops are left out`() {
        var walk = Walk()
        walk.go(3, for: 100)
        walk.go(0, for: 1000)
        #expect((walk.figures().speeds.percentiles([0.5]).first ?? 0) > 2.9)
    }

    @Test func `nine seconds are too short`() {
        var walk = Walk()
        walk.go(3, for: 9)
        let speeds = walk.figures().speeds
        #expect(speeds.greatest == nil && speeds.percentiles([0.5]).isEmpty)
    }
}
