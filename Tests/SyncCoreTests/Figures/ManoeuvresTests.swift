@testable import SyncCore
import Testing

@Suite struct ManoeuvresTests {
    /// Angles that each last so many seconds.
    private func manoeuvres(
        _ legs: [(degrees: Double, seconds: Int)],
        _ channel: Channel = .windAngleTrue,
        isMoving: Bool = true
    ) -> Manoeuvres {
        let angles = legs.flatMap { Array(repeating: $0.degrees, count: $0.seconds) }
        let readings = angles.enumerated().map { (seconds: Double($0), value: $1) }
        var manoeuvres = Manoeuvres()
        for sample in Walk.readings(channel, readings) {
            manoeuvres.add(sample, isMoving: isMoving)
        }
        return manoeuvres
    }

    @Test(
        arguments: [
            ([(45, 60), (315, 60)], 1, 0), ([(45, 60), (315, 60), (45, 60)], 2, 0),
            ([(150, 60), (210, 60)], 0, 1), ([(-150, 60), (150, 60)], 0, 1),
            // From close-hauled over the bow, and from a reach over the stern.
            ([(50, 60), (250, 60)], 1, 0), ([(110, 60), (240, 60)], 0, 1),
            // Eight seconds over there are no tack, and pointing at the wind is none.
            ([(45, 60), (315, 8), (45, 60)], 0, 0), ([(45, 60), (350, 60), (45, 60)], 0, 0),
            // The bow goes through slowly.
            ([(45, 60), (10, 10), (0, 10), (350, 10), (310, 60)], 1, 0),
            ([(45, 300)], 0, 0),
        ] as [([(degrees: Double, seconds: Int)], Int, Int)]
    )
    func `the wind comes from the other side`(
        legs: [(degrees: Double, seconds: Int)],
        tacks: Int,
        gybes: Int
    ) {
        for channel in [Channel.windAngleTrue, .windAngleApparent] {
            let counted = manoeuvres(legs, channel)
            #expect(counted.isKnown && counted.tacks == tacks && counted.gybes == gybes)
        }
        let still = manoeuvres(legs, isMoving: false)
        #expect(still.tacks == 0 && still.gybes == 0)
    }

    @Test func `without wind nothing is known`() {
        #expect(!manoeuvres([(45, 60)], .headingTrue).isKnown)
        #expect(Walk().figures(sport: .sail).manoeuvres?.isKnown == false)
        #expect(Walk().figures(sport: .foot).manoeuvres == nil)
    }

    @Test func `a pause begins anew`() {
        var manoeuvres = Manoeuvres()
        let before = Walk.readings(.windAngleTrue, (0..<60).map { (Double($0), 45) })
        let after = Walk.readings(.windAngleTrue, (60..<120).map { (Double($0), 315) }, segment: 1)
        for sample in before + after { manoeuvres.add(sample, isMoving: true) }
        #expect(manoeuvres.tacks == 0)
    }

    @Test func `the apparent wind says nothing where there is a true one`() {
        var manoeuvres = Manoeuvres()
        for second in 0..<120 {
            var sample = Sample(time: UnixTime(milliseconds: Walk.start + Int64(second) * 1000))
            sample[second.isMultiple(of: 2) ? .windAngleTrue : .windAngleApparent] =
                second.isMultiple(of: 2) ? 170 : 190
            manoeuvres.add(sample, isMoving: true)
        }
        #expect(manoeuvres.gybes == 0)
    }
}
