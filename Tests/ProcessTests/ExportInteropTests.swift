import Foundation
import Harness
import Testing

/// What other programs read of what Wake writes.
@Suite(
    .processes,
    .enabled(if: Inputs.python != nil && Inputs.shared != nil && Tool.gpsbabel != nil, "not here")
)
struct ExportInteropTests {
    /// What `formats.py` compared.
    private struct Comparison: Decodable {
        let points: Int
    }

    /// The complete recordings, with how many points they have, and how many of these have a time.
    private static let files = [
        ("gpx/cerknicko-jezero.gpx", 296, 296), ("gpx/cerknicko-without-times.gpx", 296, 5),
        ("gpx/gpx1.0_with_all_fields.gpx", 1, 1),
        ("tcx/bike.tcx", 1812, 1812), ("tcx/history.tcx", 1202, 1202),
        ("fit/fit-sample.fit", 533, 533), ("fit/garmin-fenix-5-run.fit", 21, 21),
        ("fit/activity-settings.fit", 14, 14), ("nmea/april6_2019.log", 2, 2),
        ("nmea/bt451.log", 15, 15), ("nmea/bundg_zeus_9.log", 149, 149),
    ]
    /// Long ones, for the night.
    private static let longFiles = [
        ("gpx/mtk_logger_m241_multiple_tracks.gpx", 14_263, 14_263)
    ]

    /// How many points `formats.py` found equal in each comparison.
    private func compare(_ words: [String], in site: Site) async throws -> [Int] {
        let script = Inputs.packageRoot + "Tests/Interop/formats.py"
        return try await site.start(try #require(Inputs.python), [script] + words)
            .finish().checked().jsonLines(Comparison.self).map(\.points)
    }

    private func babel(_ words: [String], to file: String, in site: Site) async throws {
        let words = words + ["-o", "gpx", "-F", file]
        _ = try await site.start(try #require(Tool.gpsbabel), words).finish().checked()
    }

    @Test(arguments: files + (Rounds.isNight ? longFiles : []))
    func `GPSBabel, gpxpy and Python find the same points`(
        name: String,
        points: Int,
        timed: Int
    ) async throws {
        let site = try Site()
        let device = try await site.device("writer")
        try await device("import", try #require(Inputs.shared) + "/" + name)
        for format in ["gpx", "tcx", "kml", "geojson", "csv"] {
            try await device(
                "export",
                "--format",
                format,
                "--output",
                "\(site.path)/ours.\(format)"
            )
        }
        func path(_ name: String) -> String { "\(site.path)/\(name)" }
        var comparisons: [String] = []
        for (format, reader) in [("gpx", "gpx"), ("tcx", "gtrnctr"), ("kml", "kml")] {
            let theirs = path("theirs-\(format).gpx")
            let words = ["-t", "-i", reader, "-f", path("ours.\(format)")]
            try await babel(words, to: theirs, in: site)
            comparisons += ["same-\(format)", path("ours.gpx"), theirs]
        }
        // GPSBabel takes a LineString for a route and a Point for a waypoint.
        let words = ["-w", "-r", "-t", "-i", "geojson", "-f", path("ours.geojson")]
        try await babel(words, to: path("theirs-geojson.gpx"), in: site)
        comparisons += ["places", path("ours.gpx"), path("theirs-geojson.gpx")]
        for format in ["geojson", "csv"] {
            comparisons += [format, path("ours.gpx"), path("ours.\(format)")]
        }
        let counts = try await compare(comparisons, in: site)
        #expect(counts == [points, timed, points, points, points, points])
    }
}
