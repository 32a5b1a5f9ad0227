@testable import SyncCore
import Testing

@Suite struct TotalsTests {
    @Test func `the time is moving, stopped and paused`() {
        var walk = Walk()
        walk.go(2, for: 100)
        walk.go(0, for: 300)
        walk.go(2, for: 100)
        walk.pause(60)
        walk.go(2, for: 50)
        let totals = walk.figures().totals
        #expect(abs(totals.metres - 500) < 0.05)
        // One is told to stop ten seconds late, and to go on ten seconds late or less.
        #expect(abs(totals.movingSeconds - 250) <= 10)
        #expect(abs(totals.stoppedSeconds - 300) <= 10)
        #expect(totals.pausedSeconds == 60)
        #expect(totals.elapsedSeconds == 610)
        #expect(abs((totals.movingSpeed ?? 0) - 2) < 0.1)
        #expect(abs((totals.meanSpeed ?? 0) - 500.0 / 550) < 0.001)
    }

    @Test(
        arguments: [
            (.foot, 0.4, true), (.foot, 0.2, false), (.wheels, 0.6, false), (.wheels, 0.8, true),
            (.sail, 0.3, true), (.sail, 0.2, false), (.motor, 0.9, false), (.air, 1.9, false),
            (.paddles, 0.4, true), (.other, 0.4, true),
        ] as [(SportKind, Double, Bool)]
    )
    func `what is movement depends on the sport`(sport: SportKind, speed: Double, moves: Bool) {
        var walk = Walk()
        walk.go(speed, for: 100)
        let totals = walk.figures(sport: sport).totals
        #expect((totals.movingSeconds == 100) == moves)
        #expect((totals.stoppedSeconds == 100) == !moves)
    }

    @Test func `how often a device records changes little`() {
        let totals = [1.0, 2, 5, 10].map { step in
            var walk = Walk()
            walk.go(3, for: 600, step: step)
            walk.go(0, for: 120, step: step)
            walk.go(3, for: 600, step: step)
            return walk.figures().totals
        }
        for total in totals {
            #expect(abs(total.metres - 3600) < 0.1)
            #expect(abs(total.movingSeconds - 1200) <= 20)
            #expect(total.elapsedSeconds == 1320)
        }
    }

    @Test func `a stop between two fixes far apart is a stop`() {
        var walk = Walk()
        walk.go(3, for: 60)
        walk.go(0.01, for: 600, step: 600)
        walk.go(3, for: 60)
        #expect(abs(walk.figures().totals.stoppedSeconds - 610) <= 10)
    }

    @Test func `without any time there is a way and no speed`() {
        var walk = Walk()
        walk.go(2, for: 10)
        let samples = walk.samples.map { sample in
            var sample = sample
            sample.time = nil
            return sample
        }
        let totals = Walk.figures(samples).totals
        #expect(abs(totals.metres - 20) < 0.05)
        #expect(totals.elapsedSeconds == 0)
        #expect(totals.movingSpeed == nil && totals.meanSpeed == nil)
    }

    @Test func `a recorder tells the same totals as the saved track`() {
        var walk = Walk()
        walk.go(2, for: 100)
        walk.pause(60)
        walk.go(0, for: 50)
        var running = RunningTotals(.usual, sport: .foot)
        for (index, sample) in walk.samples.enumerated() {
            running.add(sample)
            guard index.isMultiple(of: 10) else { continue }
            let soFar = Walk.figures(Array(walk.samples[...index]), sport: .foot).totals
            #expect(running.totals == soFar)
        }
    }

    @Test func `the distance is that of the list of tracks`() throws {
        let samples = RandomTrack.samples(seed: 3, count: 2000)
        var distance = Distance(.usual)
        for sample in samples { distance.add(sample) }
        #expect(Walk.figures(samples).totals.metres == distance.metres)
    }
}
