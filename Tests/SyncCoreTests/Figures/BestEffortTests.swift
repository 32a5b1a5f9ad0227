@testable import SyncCore
import Harness
import Testing

@Suite struct BestEffortTests {
    private func best(_ metres: Double, of walk: Walk, _ rule: FixRule = .usual) -> BestEffort? {
        walk.figures().path.bestEffort(over: metres, rule)
    }

    @Test(arguments: [1.0, 3, 7]) func `the fastest part is found between fixes`(
        step: Double
    ) throws {
        var walk = Walk()
        walk.go(3, for: 210, step: step)
        walk.go(5, for: 84, step: step)
        walk.go(3, for: 210, step: step)
        let effort = try #require(best(400, of: walk))
        #expect(abs(effort.seconds - 80) < 0.05)
        #expect((629...651).contains(effort.startMetres))
        let start = Double(effort.start.milliseconds - Walk.start) / 1000
        #expect((209.9...214.1).contains(start))
        // Longer than the fast part: 420 m of it, and 80 m beside.
        #expect(abs((best(500, of: walk)?.seconds ?? 0) - (84 + 80.0 / 3)) < 0.1)
    }

    @Test func `a pause takes its time`() throws {
        var walk = Walk()
        walk.go(5, for: 60)
        walk.pause(600)
        walk.go(5, for: 60)
        #expect(abs((best(299, of: walk)?.seconds ?? 0) - 59.8) < 0.05)
        #expect(abs((best(400, of: walk)?.seconds ?? 0) - 680) < 0.1)
    }

    @Test func `the gap of a pause is no way`() throws {
        var walk = Walk()
        walk.go(5, for: 60)
        var samples = walk.samples
        var far = samples[60]
        far[count: .segment] = 1
        far[.latitude] = 1
        far[count: .time] = far[count: .time].map { $0 + 60_000 }
        samples.append(far)
        #expect(Walk.figures(samples).bestEfforts.isEmpty)
    }

    @Test func `there is none over a way that is too short, or a time that goes back`() {
        var walk = Walk()
        walk.go(5, for: 79)
        #expect(best(400, of: walk) == nil)
        walk.turnClock(-30)
        walk.go(5, for: 79)
        #expect(best(400, of: walk) == nil)
    }

    @Test func `faster than the sport can be is no effort`() throws {
        var walk = Walk()
        walk.go(3, for: 300)
        walk.go(20, for: 100)
        #expect(abs((best(400, of: walk)?.seconds ?? 0) - 20) < 0.05)
        let effort = try #require(best(400, of: walk, FixRule(sport: "running")))
        #expect(effort.seconds >= 400.0 / 15)
    }

    @Test func `standing before it is no part of it`() throws {
        var walk = Walk()
        walk.go(0, for: 60)
        walk.go(4, for: 100)
        walk.go(0, for: 60)
        let effort = try #require(best(400, of: walk))
        #expect(abs(effort.seconds - 100) < 0.5)
        #expect(abs(Double(effort.start.milliseconds - Walk.start) / 1000 - 60) < 0.5)
    }

    @Test(arguments: Rounds.seeds(5))
    func `none is faster than any other start would be`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var walk = Walk()
        for _ in 0..<40 {
            walk.go(
                Double.random(in: 0...6, using: &random),
                for: Double(Int.random(in: 4...30, using: &random))
            )
            if Bool.random(using: &random) { walk.pause(20) }
        }
        let path = walk.figures().path
        let effort = try #require(path.bestEffort(over: 400, .usual))
        // Each tenth of a second as a start.
        let end = path.nodes.last?.time ?? 0
        for start in stride(from: Walk.start, to: end, by: 100) {
            let stop = start + Int64(effort.seconds * 1000) - 1
            guard stop <= end, let from = path.place(at: start), let to = path.place(at: stop)
            else {
                break
            }
            #expect(to.metres - from.metres <= 400.001)
        }
    }
}
