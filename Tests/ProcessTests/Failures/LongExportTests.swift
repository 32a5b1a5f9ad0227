import Foundation
import Harness
import Testing

/// Tracks that are too long to be held.
@Suite(.manyProcesses, .enabled(if: Inputs.python != nil, "not here: .build/venv"))
struct LongExportTests {
    /// The most memory in KiB that an export took.
    private func export(_ track: String, as format: String, of boat: Device) async throws -> Int {
        let script = """
            import resource, subprocess, sys
            subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let words = ["-c", script, BuiltProgram.wake.path, "--data", boat.path, "export", track]
        let outcome = try await boat.site.start(
            try #require(Inputs.python),
            words + ["--format", format]
        ).finish().checked()
        return try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private static let points = Rounds.isNight ? [20_000, 120_000] : [5000, 35_000]

    /// In KiB; samples that were held would take 3.5 MiB by day, and 12 MiB at night.
    private static let growthLimit = Rounds.isNight ? 6 << 10 : 2 << 10

    @Test func `an export holds nothing of what it wrote`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        for points in Self.points {
            let text = Inputs.gpx(name: "points \(points)", points: points)
            try await boat("import", try site.file("\(points).gpx", text))
        }
        let tracks = try await boat.tracks().sorted { $0.samples < $1.samples }
        let (short, long) = (try #require(tracks.first).id, try #require(tracks.last).id)
        for format in ["gpx", "tcx", "geojson", "kml", "csv"] {
            let growth =
                try await export(long, as: format, of: boat)
                - export(short, as: format, of: boat)
            #expect(growth < Self.growthLimit, "\(format): \(growth) KiB")
        }
    }
}
