@testable import SyncCore
import Testing

@Suite struct DistanceTests {
    private static func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(
            Coordinate(
                latitude: Int64((latitude * 1e7).rounded()),
                longitude: Int64((longitude * 1e7).rounded())
            )
        )
    }

    /// Geodesics by GeographicLib 2.1 (PyPI geographiclib), WGS 84.
    @Test(
        arguments: [
            (0, 0, 0, 0.05, 5565.974539663679),
            (0, 0, 0.05, 0, 5528.71380517258),
            (52.85, 5.3, 52.9, 5.35, 6503.37729883394),
            (-33.9, 151.2, -33.95, 151.28, 9245.448092790444),
            (60, 24.9, 60.05, 25, 7881.7120835845035),
            (69.9, 18.9, 69.95, 19.1, 9479.603967148993),
            (10, 179.98, 10.03, -179.97, 6407.800389277739),
            (-45, -0.03, -45.02, 0.04, 5949.11422023947),
            (52.85, 5.3, 52.8500001, 5.3, 0.011128344475937073),
        ] as [(Double, Double, Double, Double, Double)]
    )
    func `a short way is the geodesic within a millionth`(
        south: Double,
        west: Double,
        north: Double,
        east: Double,
        metres: Double
    ) throws {
        let from = try Self.coordinate(south, west)
        let to = try Self.coordinate(north, east)
        #expect(abs(from.metres(to: to) / metres - 1) < 1e-6)
        #expect(from.metres(to: to) == to.metres(to: from))
    }

    @Test func `a pause between segments is not counted`() throws {
        let places: [(Int64, Double)] = [(0, 1), (0, 1.05), (1, 2), (1, 2.05)]
        var distance = Distance(.usual)
        for (segment, longitude) in places {
            var sample = Sample()
            sample[count: .segment] = segment
            sample[.latitude] = 0
            sample[.longitude] = longitude
            distance.add(sample)
            distance.add(Sample(time: UnixTime(milliseconds: 1)))
        }
        #expect(abs(distance.metres - 2 * 5565.974539663679) < 0.01)
    }
}
