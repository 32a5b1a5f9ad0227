@testable import SyncCore
import Testing

/// Real GPX files.
@Suite(.enabled(if: SharedData.isHere, "the recordings are not here"))
struct GPXRecordingTests {
    private static func read(_ name: String) throws -> ImportedFile {
        try RecordingFormat.gpx.read(SharedData.bytes("gpx/\(name)"))
    }

    @Test func `a data logger's six tracks`() throws {
        let file = try Self.read("mtk_logger_m241_multiple_tracks.gpx")
        #expect(file.tracks.count == 6)
        #expect(file.tracks.map(\.samples.count).reduce(0, +) == 14_263)
        let first = try #require(file.tracks.first)
        #expect(first.name == "track-1")
        #expect(first.notes == "Log every 5 sec, 0 m")
        #expect(first.samples.first?[count: .latitude] == 479_649_200)
        #expect(first.samples.first?[count: .longitude] == 78_250_542)
        #expect(first.samples.first?[count: .altitude] == 728)
        #expect(first.samples.first?[count: .speed] == 86)
    }

    @Test func `a hike, and the same with most times taken out`() throws {
        let file = try Self.read("cerknicko-jezero.gpx")
        #expect(file.tracks.count == 8)
        #expect(file.tracks.map(\.samples.count).reduce(0, +) == 296)
        let timeless = try Self.read("cerknicko-without-times.gpx")
        let samples = timeless.tracks.flatMap(\.samples)
        #expect(samples.count == 296)
        #expect(samples.allSatisfy { $0.isPoint })
        // Five points kept theirs.
        #expect(samples.filter { $0.time == nil }.count == 291)
    }

    @Test func `a byte order mark and a waypoint's heart rate`() throws {
        #expect(try Self.read("unicode_with_bom.gpx").waypoints.count == 1)
        #expect(try Self.read("gpx_with_garmin_extension.gpx").waypoints.count == 1)
        var text = String(
            decoding: try SharedData.bytes("gpx/gpx_with_garmin_extension.gpx"),
            as: UTF8.self
        )
        text.replace("<wpt", with: "<trk><trkseg><trkpt")
        text.replace("</wpt>", with: "</trkpt></trkseg></trk>")
        let file = try RecordingFormat.gpx.read(Array(text.utf8))
        #expect(file.tracks.first?.samples.first?[count: .heartRate] == 171)
    }

    @Test func `every field of GPX 1_0`() throws {
        let file = try Self.read("gpx1.0_with_all_fields.gpx")
        #expect(file.waypoints.map(\.name) == ["example name", ""])
        #expect(file.waypoints[0].notes == "example desc\nexample cmt")
        #expect(file.passedOver[.route] == 2)
        #expect(file.tracks.count == 2)
        let point = try #require(file.tracks.first?.samples.first)
        #expect(point[.dilution] != nil)
        #expect(point[.satellites] != nil)
        #expect(point[.altitude] != nil)
    }
}
