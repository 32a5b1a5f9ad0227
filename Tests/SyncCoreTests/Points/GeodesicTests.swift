@testable import SyncCore
import Testing

@Suite struct GeodesicTests {
    private static func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(
            Coordinate(
                latitude: Int64((latitude * 1e7).rounded()),
                longitude: Int64((longitude * 1e7).rounded())
            )
        )
    }

    /// By GeographicLib 2.1 (PyPI geographiclib), WGS 84.
    @Test(
        arguments: [
            (52.85, 5.3, 50.73, -1.6, 531_019.9442536763, 246.38544445481338, 240.96033443344425),
            // Nearly antipodal, from pole to pole, over the antimeridian, and over the pole.
            (0, 0, 0.5, 179.5, 19_936_288.578965314, 25.67187286829188, 154.3270854699416),
            (90, 0, -90, 0, 20_003_931.458625447, 180, 180),
            (10, 179.9, 10, -179.9, 21_927.87247793737, 89.9826351650211, 90.0173648349789),
            (89.999, 10, 89.999, -170, 223.38795911909236, 0, 180),
            (-33.9, 151.2, 40.6, -73.8, 16_006_766.069393037, 65.93369040815267, 86.17149012968741),
        ] as [(Double, Double, Double, Double, Double, Double, Double)]
    )
    func `a way has its length and its bearings`(
        south: Double,
        west: Double,
        north: Double,
        east: Double,
        metres: Double,
        initial: Double,
        final: Double
    ) throws {
        let start = try Self.place(south, west)
        let end = try Self.place(north, east)
        let way = Geodesic(from: start, to: end)
        #expect(abs(way.metres - metres) < 1e-6)
        #expect(abs(start.metres(to: end) - metres) < 1e-3)
        #expect(abs(way.initialBearing - initial) < 1e-9)
        #expect(abs(way.finalBearing - final) < 1e-9)
    }

    @Test(arguments: [0.0, 30, 52, 70, 80, 83.9, 84.1, 89, 89.999, -45, -83.9])
    func `from fix to fix a way is right within a fifth of a millimetre`(latitude: Double) throws {
        var random = SplitMix64(seed: 7)
        let start = try Self.place(latitude, 179.9999)
        var greatest = 0.0
        for _ in 0..<2000 {
            let north = Double.random(in: -0.0088...0.0088, using: &random)
            let east = Double.random(in: -0.0088...0.0088, using: &random)
            let width = max(Double.pi / 180 * (90 - abs(latitude)), 1e-4)
            let longitude = 179.9999 + min(max(east / width, -180), 180)
            let end = try Self.place(
                min(max(latitude + north, -90), 90),
                longitude > 180 ? longitude - 360 : longitude
            )
            let way = Geodesic(from: start, to: end).metres
            greatest = max(greatest, abs(start.metres(to: end) - way))
        }
        #expect(greatest < 0.0002)
    }

    @Test func `there and back is as far`() throws {
        var random = SplitMix64(seed: 8)
        for _ in 0..<1000 {
            let places = try (0..<2).map { _ in
                try Self.place(
                    Double.random(in: -90...90, using: &random),
                    Double.random(in: -180...180, using: &random)
                )
            }
            let there = places[0].metres(to: places[1])
            #expect(abs(there - places[1].metres(to: places[0])) < 1e-6)
        }
    }

    @Test(arguments: [1e-6, 1e-3, 1, 180])
    func `no way is longer than it is at most`(extent: Double) throws {
        var random = SplitMix64(seed: 8)
        for _ in 0..<2000 {
            let latitude = Double.random(in: -90...90, using: &random)
            let longitude = Double.random(in: -180...180, using: &random)
            let start = try Self.place(latitude, longitude)
            let north = latitude + Double.random(in: -extent...extent, using: &random)
            let east = longitude + Double.random(in: -extent...extent, using: &random)
            let end = try Self.place(min(max(north, -90), 90), min(max(east, -180), 180))
            #expect(start.metres(to: end) <= start.metresAtMost(to: end))
        }
        // Along a meridian at a pole a degree is longest.
        let (pole, beside) = (try Self.place(90, 0), try Self.place(89.999, 0))
        #expect(pole.metres(to: beside) <= pole.metresAtMost(to: beside))
    }
}
