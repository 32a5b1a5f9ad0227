import Foundation
import Harness
import SyncCore
import Testing

/// Wake's figures, checked with PyPI's packages and a second implementation in Python.
@Suite(.processes, .enabled(if: Inputs.python != nil, "not here: .build/venv"))
struct FigureInteropTests {
    private func figures(_ words: [String], in site: Site) async throws -> Outcome {
        let script = Inputs.packageRoot + "Tests/Interop/figures.py"
        return try await site.start(try #require(Inputs.python), [script] + words).finish()
    }

    /// Places anywhere and in hard places: equal, near, nearly antipodal, at the poles, and over the
    /// antimeridian.
    private static func pairs(count: Int, seed: UInt64) -> [(Coordinate, Coordinate)] {
        var random = SplitMix64(seed: seed)
        func place(_ latitudes: ClosedRange<Int64>, _ longitudes: ClosedRange<Int64>) -> (
            Int64, Int64
        ) {
            (
                Int64.random(in: latitudes, using: &random),
                Int64.random(in: longitudes, using: &random)
            )
        }
        return (0..<count).compactMap { index in
            let (latitude, longitude) = place(-900_000_000...900_000_000, all)
            let (north, east) = place(-3_000_000...3_000_000, -3_000_000...3_000_000)
            let pole: Int64 = index.isMultiple(of: 20) ? 900_000_000 : -900_000_000
            let (start, end): ((Int64, Int64), (Int64, Int64)) =
                switch index % 10 {
                case 0: ((latitude, longitude), (latitude, longitude))
                case 1: ((latitude, longitude), (-latitude + north, opposite(longitude) + east))
                case 2: ((pole, longitude), place(-900_000_000...900_000_000, all))
                case 3: ((pole - pole.signum() * abs(north), longitude), (pole, longitude))
                case 4: ((latitude, 1_800_000_000 - abs(east)), (latitude, -1_800_000_000))
                case 5: ((latitude, longitude), (latitude + north / 200, longitude + east / 200))
                case 6: ((latitude, longitude), (latitude + north, longitude + east))
                case 7: ((0, longitude), (0, opposite(longitude) + east))
                default: ((latitude, longitude), place(-900_000_000...900_000_000, all))
                }
            return Coordinate(latitude: start.0, longitude: start.1).flatMap { start in
                Coordinate(latitude: end.0, longitude: end.1).map { (start, $0) }
            }
        }
    }

    private static let all: ClosedRange<Int64> = -1_800_000_000...1_800_000_000

    private static func opposite(_ longitude: Int64) -> Int64 {
        longitude > 0 ? longitude - 1_800_000_000 : longitude + 1_800_000_000
    }

    @Test(arguments: Rounds.seeds(1))
    func `geographiclib measures the same ways and bearings`(seed: UInt64) async throws {
        struct Differences: Decodable {
            let pairs: Int
            let metres: Double
            let fixMetres: Double
            let degrees: Double
        }
        let lines = Self.pairs(count: 10_500, seed: seed).map { start, end in
            let way = Geodesic(from: start, to: end)
            return "\(start.latitude) \(start.longitude) \(end.latitude) \(end.longitude) "
                + "\(way.metres) \(start.metres(to: end)) "
                + "\(way.initialBearing) \(way.finalBearing)"
        }
        let site = try Site()
        let file = try site.file("pairs.txt", lines.joined(separator: "\n"))
        let differences = try await figures(["geodesic", file], in: site).checked()
            .json(Differences.self)
        #expect(differences.pairs >= 10_000)
        #expect(differences.metres < 0.001)
        #expect(differences.fixMetres < 0.001)
        #expect(differences.degrees < 1e-9)
    }

    @Test func `pygeomag tells the same variation everywhere and in every year`() async throws {
        struct Differences: Decodable {
            let known: Int
            let unknown: Int
            let degrees: Double
        }
        // The years of all models, and one before and one after them.
        let years = stride(from: 2009.75, through: 2030.25, by: 0.5)
        let lines = years.flatMap { year in
            stride(from: Int64(-900_000_000), through: 900_000_000, by: 75_000_000).flatMap {
                north in
                stride(from: Int64(-1_800_000_000), through: 1_800_000_000, by: 150_000_000)
                    .compactMap { east -> String? in
                        guard let place = Coordinate(latitude: north, longitude: east) else {
                            return nil
                        }
                        let variation = MagneticModel.variation(at: place, time(of: year))
                        return "\(north) \(east) \(year) \(variation.map { "\($0)" } ?? "nil")"
                    }
            }
        }
        let site = try Site()
        let file = try site.file("places.txt", lines.joined(separator: "\n"))
        let differences = try await figures(["magnetic", file], in: site).checked()
            .json(Differences.self)
        #expect(differences.known > 20_000 && differences.unknown > 1000)
        #expect(differences.degrees < 0.001)
    }

    /// The time of a decimal year, by the days of its model's five years.
    private func time(of year: Double) -> UnixTime {
        let models = MagneticModel.all
        let model = min(max(Int((year - 2010) / 5), 0), models.count - 1)
        let span = models[model].span
        let elapsed = (year - Double(2010 + 5 * model)) / 5 * Double(span.count)
        return UnixTime(milliseconds: span.lowerBound + Int64(elapsed))
    }

    @Test(.enabled(if: Inputs.shared != nil, "not here: ../shared"))
    func `the figures of every real recording are those of another program`() async throws {
        struct Comparison: Decodable { let share: Double }
        let site = try Site()
        let device = try await site.device("reader")
        for folder in ["fit", "gpx", "nmea", "tcx"] {
            // Damaged files and files without tracks are among them.
            _ = try await device.run("import", try #require(Inputs.shared) + "/\(folder)")
        }
        let tracks = try await device.tracks()
        #expect(tracks.count >= 30)
        var files: [String] = []
        for track in tracks {
            let csv = "\(site.path)/\(track.id).csv"
            try await device("export", track.id, "--format", "csv", "--output", csv)
            let shown = try await device("tracks", "show", track.id, "--json")
            files += [csv, try site.file("\(track.id).json", shown.output)]
        }
        let comparisons = try await figures(["totals"] + files, in: site).checked()
            .jsonLines(Comparison.self)
        #expect(comparisons.count == tracks.count)
        #expect(comparisons.allSatisfy { $0.share <= 0.005 })
    }
}
