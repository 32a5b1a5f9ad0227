@testable import SyncCore
import Testing

@Suite struct CompassTests {
    private static func sample(
        _ readings: [Channel: Double],
        place: (Double, Double)? = nil,
        milliseconds: Int64 = Walk.start
    ) -> Sample {
        var sample = Sample(time: UnixTime(milliseconds: milliseconds))
        for (channel, value) in readings { sample[channel] = value }
        sample[.latitude] = place?.0
        sample[.longitude] = place?.1
        return sample
    }

    private func heading(_ north: North, _ sample: Sample) -> Heading? {
        var compass = Compass(north)
        return compass.add(sample)
    }

    @Test(
        arguments: [
            // As it was read.
            (.magnetic, [.headingMagnetic: 90, .variation: 5], 90, .magnetic, nil),
            (.geographic, [.headingTrue: 90, .variation: 5], 90, .geographic, nil),
            (.magnetic, [.headingMagnetic: 90, .headingTrue: 12], 90, .magnetic, nil),
            // Turned: true is magnetic and the variation, east positive.
            (.geographic, [.headingMagnetic: 90, .variation: 5], 95, .geographic, .data),
            (.magnetic, [.headingTrue: 90, .variation: 5], 85, .magnetic, .data),
            (.magnetic, [.headingTrue: 2, .variation: 5], 357, .magnetic, .data),
            (.geographic, [.headingMagnetic: 358, .variation: 5], 3, .geographic, .data),
            (.geographic, [.headingMagnetic: 3, .variation: -5], 358, .geographic, .data),
            // Not known: it keeps its own north.
            (.geographic, [.headingMagnetic: 90], 90, .magnetic, nil),
            (.magnetic, [.headingTrue: 90], 90, .geographic, nil),
        ] as [(North, [Channel: Double], Double, North, Variation.Source?)]
    )
    func `a heading is told from the north that is wanted, or says that it is not`(
        wanted: North,
        readings: [Channel: Double],
        degrees: Double,
        north: North,
        source: Variation.Source?
    ) throws {
        let told = try #require(heading(wanted, Self.sample(readings)))
        #expect(abs(told.degrees - degrees) < 1e-9)
        #expect(told.north == north && told.variation?.source == source)
    }

    @Test func `where the data is silent the model speaks, for its places and years`() throws {
        let here = Self.sample([.headingTrue: 90], place: (52, 5))
        let modelled = try #require(heading(.magnetic, here))
        #expect(modelled.north == .magnetic && modelled.variation?.source == .model)
        #expect((2.0...3.5).contains(90 - modelled.degrees))
        // In 2018, and at the magnetic pole.
        let old = Self.sample([.headingTrue: 90], place: (52, 5), milliseconds: 1_234_758_455_000)
        #expect(heading(.magnetic, old) == Heading(90, .geographic, nil))
        let pole = Self.sample([.headingTrue: 90], place: (86, 140))
        #expect(heading(.magnetic, pole) == Heading(90, .geographic, nil))
        // A receiver without a fix is nowhere.
        let nowhere = Self.sample([.headingTrue: 90], place: (0, 0))
        #expect(heading(.magnetic, nowhere) == Heading(90, .geographic, nil))
    }

    @Test func `the variation of the data holds for an hour`() {
        var compass = Compass(.geographic)
        _ = compass.add(Self.sample([.variation: 5]))
        let soon = Self.sample([.headingMagnetic: 10], milliseconds: Walk.start + 3_600_000)
        #expect(compass.add(soon)?.degrees == 15)
        let late = Self.sample([.headingMagnetic: 10], milliseconds: Walk.start + 3_600_001)
        #expect(compass.add(late) == Heading(10, .magnetic, nil))
    }

    @Test func `the model is asked again elsewhere`() throws {
        var compass = Compass(.geographic)
        let places = [(52.0, 5.0), (52.01, 5.0), (40.0, -70.0)]
        let degrees = places.compactMap {
            compass.add(Self.sample([.headingMagnetic: 0], place: $0))?.degrees
        }
        #expect(degrees[0] == degrees[1] && degrees[2] > 340)
    }

    @Test func `no reading is too large`() {
        for north in [North.magnetic, .geographic] {
            var compass = Compass(north)
            for count in [Int64.min, .max, -1, 3600, 36_000] {
                var sample = Self.sample([:], place: (52, 5), milliseconds: count)
                sample[count: .headingTrue] = count
                sample[count: .variation] = count
                let heading = compass.add(sample)
                #expect(heading.map { (0..<360).contains($0.degrees) } == true)
            }
        }
    }
}
