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

    @Test func `an export holds nothing of what it wrote`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        // Thirty thousand samples that were held would take more than 3.5 MiB.
        for points in [5000, 35_000] {
            let text = Inputs.gpx(name: "points \(points)", points: points)
            try await boat("import", try site.file("\(points).gpx", text))
        }
        let tracks = try await boat.tracks().sorted { $0.samples < $1.samples }
        let (short, long) = (try #require(tracks.first).id, try #require(tracks.last).id)
        for format in ["gpx", "tcx", "geojson", "kml", "csv"] {
            let growth =
                try await export(long, as: format, of: boat)
                - export(short, as: format, of: boat)
            #expect(growth < 2 << 10, "\(format): \(growth) KiB")
        }
    }
}
