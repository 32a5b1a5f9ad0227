import Foundation
import Harness
import Testing

/// What Wake reads of real recordings, compared with GPSBabel, fitdecode and gpxpy.
@Suite(
    .processes,
    .enabled(if: Inputs.python != nil && Inputs.shared != nil && Tool.gpsbabel != nil, "not here")
)
struct FormatInteropTests {
    /// What `formats.py` compared, and the greatest difference of places in degrees.
    private struct Comparison: Decodable {
        let points: Int
        let degrees: Double
    }

    /// Reads a file with Wake and writes it as GPX; returns the path of that.
    private func copy(_ file: String, in site: Site) async throws -> String {
        let device = try await site.device("reader")
        try await device("import", file)
        let path = site.path + "/ours.gpx"
        try await device("export", "--format", "gpx", "--output", path)
        return path
    }

    private func babel(_ file: String, as format: String, in site: Site) async throws -> String {
        let path = site.path + "/theirs.gpx"
        let words = ["-t", "-i", format, "-f", file, "-o", "gpx", "-F", path]
        _ = try await site.start(try #require(Tool.gpsbabel), words).finish().checked()
        return path
    }

    private func compare(
        _ kind: String,
        _ ours: String,
        _ theirs: String,
        in site: Site
    ) async throws -> Comparison {
        let script = Inputs.packageRoot + "Tests/Interop/formats.py"
        return try await site.start(try #require(Inputs.python), [script, kind, ours, theirs])
            .finish().checked().json(Comparison.self)
    }

    @Test(arguments: [
        ("gpx/cerknicko-jezero.gpx", "gpx", 296), ("gpx/cerknicko-without-times.gpx", "gpx", 296),
        ("gpx/gpx1.0_with_all_fields.gpx", "gpx", 1),
        ("gpx/mtk_logger_m241_multiple_tracks.gpx", "gpx", 14_263),
        ("tcx/bike.tcx", "gtrnctr", 1812), ("tcx/history.tcx", "gtrnctr", 1202),
        ("fit/fit-sample.fit", "garmin_fit", 533), ("fit/garmin-fenix-5-run.fit", "garmin_fit", 21),
        ("fit/activity-settings.fit", "garmin_fit", 14),
    ])
    func `GPSBabel reads the same points`(name: String, format: String, count: Int) async throws {
        let site = try Site()
        let file = try #require(Inputs.shared) + "/" + name
        let ours = try await copy(file, in: site)
        let theirs = try await babel(file, as: format, in: site)
        let comparison = try await compare("points", ours, theirs, in: site)
        #expect(comparison.points == count)
    }

    @Test(arguments: [("april6_2019", 1), ("bt451", 11), ("bundg_zeus_9", 136)])
    func `GPSBabel reads the same places at the same times`(name: String, count: Int) async throws {
        let site = try Site()
        let file = try #require(Inputs.shared) + "/nmea/\(name).log"
        let ours = try await copy(file, in: site)
        let theirs = try await babel(file, as: "nmea", in: site)
        #expect(try await compare("times", ours, theirs, in: site).points >= count)
    }

    @Test(arguments: [
        ("fit-sample", 533), ("garmin-fenix-5-run", 21), ("activity-settings", 14),
    ])
    func `fitdecode reads the same records`(name: String, count: Int) async throws {
        let site = try Site()
        let file = try #require(Inputs.shared) + "/fit/\(name).fit"
        let ours = try await copy(file, in: site)
        #expect(try await compare("fit", ours, file, in: site).points == count)
    }

    @Test func `a damaged file is told with its place, and what can be saved is offered`()
        async throws
    {
        let site = try Site()
        let device = try await site.device("reader")
        let file = try #require(Inputs.shared) + "/fit/activity-filecrc.fit"
        let refused = try await device.run("import", file)
        #expect(refused.code == 1)
        #expect(
            refused.errors.contains("byte 769: the checksum does not match")
        )
        let hint = "'wake import --salvage' imports the 14 samples before the damage"
        #expect(refused.errors.contains(hint))
        #expect(try await device.tracks().isEmpty)
        let dry = try await device.run("import", "--dry-run", "--salvage", file)
        #expect(dry.code == 0 && dry.output.contains("would be new, 14 samples"))
        #expect(try await device.tracks().isEmpty)
        let saved = try await device.run("import", "--salvage", file)
        #expect(saved.code == 0 && saved.errors.contains("the part before the damage was imported"))
        #expect(try await device.tracks().map(\.samples) == [14])
    }

    @Test func `of a folder every recording is taken, and what is none is told`() async throws {
        let site = try Site()
        let device = try await site.device("reader")
        let folder = try #require(Inputs.shared) + "/tcx"
        let first = try await device.run("import", folder)
        #expect(
            first.code == 0
                && first.errors.contains("4 files: 4 tracks imported, 0 already imported")
        )
        let second = try await device.run("import", folder)
        #expect(second.code == 0 && second.errors.contains("0 tracks imported, 4 already imported"))
        _ = try site.file("none.txt", "nothing")
        _ = try site.file("photo.jpg", "\u{1}$ no ! sentence")
        _ = try site.file("page.html", "<html><body/></html>")
        let mixed = try await device.run("import", site.path)
        #expect(mixed.code == 0 || mixed.code == 3, "\(mixed.errors)")
        #expect(!mixed.errors.contains("error: \(site.path)/p"))
        let bad = try await device.run("import", site.path + "/none.txt")
        #expect(bad.code == 1)
        #expect(bad.errors.contains("none.txt:1: not one of the formats GPX, TCX, KML, FIT"))
    }
}
