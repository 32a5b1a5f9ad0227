@testable import SyncCore
import Testing

@Suite struct ClimbTests {
    private func climb(_ samples: [Sample]) -> (up: Double, down: Double)? {
        var climb = Climb()
        for sample in samples { climb.add(sample) }
        return climb.metres
    }

    private func hill(step: Double, noise: Double = 0) -> [Sample] {
        let count = Int(1200 / step)
        return Walk.readings(
            .altitude,
            (0...count).map { index in
                let seconds = Double(index) * step
                let height = seconds < 600 ? seconds / 6 : 200 - seconds / 6
                return (seconds, height + (index.isMultiple(of: 2) ? noise : -noise))
            }
        )
    }

    @Test(arguments: [0.5, 1, 2, 4]) func `a hill is as high as it is`(step: Double) throws {
        let metres = try #require(climb(hill(step: step)))
        // The means round off its top and its feet.
        #expect(abs(metres.up - 100) < 2.5 && abs(metres.down - 100) < 2.5)
    }

    @Test func `what trembles does not add up`() throws {
        let metres = try #require(climb(hill(step: 1, noise: 1)))
        #expect(metres.up < 105)
        let flat = try #require(climb(Walk.readings(.altitude, (0..<600).map { (Double($0), 7) })))
        #expect(flat == (0, 0))
    }

    @Test func `means by hand`() throws {
        // Within ten seconds: (0, 1, 2), (0, 1, 2, 6), (0, 1, 2, 6), (1, 2, 6).
        let samples = Walk.readings(.altitude, [(0, 0), (5, 1), (10, 2), (15, 6)])
        let metres = try #require(climb(samples))
        #expect(abs(metres.up - 2) < 1e-9 && metres.down == 0)
    }

    @Test func `a lift in a pause is no climb`() throws {
        let below = Walk.readings(.altitude, (0..<60).map { (Double($0), 10) })
        let above = Walk.readings(.altitude, (60..<120).map { (Double($0), 500) }, segment: 1)
        #expect(try #require(climb(below + above)) == (0, 0))
    }

    @Test(
        arguments: [
            [], [(0, 5)], [(0, 2e5), (1, -2e5), (2, 9e14)],
        ] as [[(Double, Double)]]
    )
    func `of fewer than two altitudes nothing is known`(readings: [(Double, Double)]) {
        #expect(climb(Walk.readings(.altitude, readings)) == nil)
    }

    @Test func `altitudes without a time are not known`() {
        let samples = (0..<10).map { index in
            var sample = Sample()
            sample[.altitude] = Double(index)
            return sample
        }
        #expect(climb(samples) == nil)
    }

    @Test func `a time that goes back begins anew`() throws {
        let up = Walk.readings(.altitude, (0..<60).map { (Double($0), Double($0)) })
        let metres = try #require(climb(up + up))
        let once = try #require(climb(up))
        #expect(abs(metres.up - 2 * once.up) < 1e-9 && metres.down == 0)
    }
}
