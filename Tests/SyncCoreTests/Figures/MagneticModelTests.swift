@testable import SyncCore
import Testing

@Suite struct MagneticModelTests {
    /// Declinations at height 0 by PyPI's pygeomag 1.1, at places of the model's own test values.
    @Test(
        arguments: [
            (80, 0, 2025, 1.2815), (0, 120, 2025, -0.1583), (-80, -120, 2025, 68.7754),
            (80, 0, 2027.5, 2.5941), (0, 120, 2027.5, -0.2415), (-80, -120, 2027.5, 68.4861),
            (52, 5, 2025, 2.5098),
        ] as [(Double, Double, Double, Double)]
    )
    func `the variation is that of another program`(
        latitude: Double,
        longitude: Double,
        year: Double,
        degrees: Double
    ) throws {
        let place = try #require(
            Coordinate(latitude: Int64(latitude * 1e7), longitude: Int64(longitude * 1e7))
        )
        let time = 1_735_689_600_000 + Int64((year - 2025) / 5 * 157_766_400_000)
        let variation = MagneticModel.variation(at: place, UnixTime(milliseconds: time))
        #expect(abs((variation ?? .infinity) - degrees) < 0.0005)
    }

    @Test(
        arguments: [
            (1_262_303_999_999, false), (1_262_304_000_000, true), (1_735_689_599_999, true),
            (1_735_689_600_000, true), (1_893_455_999_999, true),
            (1_893_456_000_000, false), (.min, false), (.max, false),
        ] as [(Int64, Bool)]
    )
    func `the models speak for twenty years`(milliseconds: Int64, isKnown: Bool) throws {
        let place = try #require(Coordinate(latitude: 520_000_000, longitude: 50_000_000))
        let time = UnixTime(milliseconds: milliseconds)
        #expect((MagneticModel.variation(at: place, time) != nil) == isKnown)
    }

    @Test func `each has all its terms, and one begins where the last ends`() {
        #expect(MagneticModel.all.allSatisfy { $0.coefficients.count == 90 })
        let spans = MagneticModel.all.map(\.span)
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    }
}
