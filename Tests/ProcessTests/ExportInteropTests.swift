import Foundation
import Testing

/// What other programs read of what Wake writes.
@Suite(
    .timeLimit(.minutes(4)),
    .enabled(if: Inputs.python != nil && Inputs.shared != nil && Tool.gpsbabel != nil, "not here")
)
struct ExportInteropTests {
    /// What `formats.py` compared.
    private struct Comparison: Decodable {
        let points: Int
    }

    /// The complete recordings, and how many of their points have a time.
    private static let files = [
        ("gpx/cerknicko-jezero.gpx", 296, 296), ("gpx/cerknicko-without-times.gpx", 296, 5),
        ("gpx/gpx1.0_with_all_fields.gpx", 1, 1),
        ("gpx/mtk_logger_m241_multiple_tracks.gpx", 14_263, 14_263),
        ("tcx/bike.tcx", 1812, 1812), ("tcx/history.tcx", 1202, 1202),
        ("fit/fit-sample.fit", 533, 533), ("fit/garmin-fenix-5-run.fit", 21, 21),
        ("fit/activity-settings.fit", 14, 14), ("nmea/april6_2019.log", 2, 2),
        ("nmea/bt451.log", 15, 15), ("nmea/bundg_zeus_9.log", 149, 149),
    ]

    private func compare(_ words: String..., in site: Site) async throws -> Int {
        let script = Inputs.packageRoot + "Tests/Interop/formats.py"
        return try await site.start(try #require(Inputs.python), [script] + words)
            .finish().checked().json(Comparison.self).points
    }

    @Test(arguments: files)
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
        let ours = site.path + "/ours.gpx"
        let programs = [
            ("gpx", "gpx", points), ("tcx", "gtrnctr", timed), ("kml", "kml", points),
        ]
        for (format, reader, count) in programs {
            let theirs = "\(site.path)/theirs-\(format).gpx"
            let words = ["-t", "-i", reader, "-f", "\(site.path)/ours.\(format)"]
            _ = try await site.start(
                try #require(Tool.gpsbabel),
                words + ["-o", "gpx", "-F", theirs]
            ).finish().checked()
            #expect(try await compare("same-\(format)", ours, theirs, in: site) == count)
        }
        #expect(try await compare("geojson", ours, site.path + "/ours.geojson", in: site) == points)
        #expect(try await compare("csv", ours, site.path + "/ours.csv", in: site) == points)
        let theirs = site.path + "/theirs-geojson.gpx"
        // GPSBabel takes a LineString for a route and a Point for a waypoint.
        let words = ["-w", "-r", "-t", "-i", "geojson", "-f", site.path + "/ours.geojson"]
        _ = try await site.start(
            try #require(Tool.gpsbabel),
            words + ["-o", "gpx", "-F", theirs]
        ).finish().checked()
        #expect(try await compare("places", ours, theirs, in: site) == points)
    }
}
