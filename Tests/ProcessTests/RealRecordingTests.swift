import Foundation
import Harness
import SyncCore
import Testing

/// Real recordings, recorded and imported offline, then synced to a second device.
@Suite(.processes, .enabled(if: Inputs.shared != nil, "not here: ../shared"))
struct RealRecordingTests {
    /// The heel readings of a log, by its own sentences: `$..XDR,A,-1.0,D,HEEL…`.
    private func heelReadings(of log: String) throws -> [Double] {
        try String(contentsOfFile: log, encoding: .utf8).split(whereSeparator: \.isNewline).flatMap
        { line in
            let fields = (line.split(separator: "*").first ?? "")
                .split(separator: ",", omittingEmptySubsequences: false)
            guard fields[0].hasSuffix("XDR") else { return [Double]() }
            return stride(from: 1, to: fields.count - 3, by: 4)
                .filter { fields[$0 + 3].lowercased().hasPrefix("heel") }
                .compactMap { Double(fields[$0 + 1]) }
        }
    }

    private func samples(_ device: Device, _ track: String) async throws -> Samples {
        let replica = try Replica(path: device.path + "/replica.db")
        let id = try #require(Identifier(track))
        return try await replica.read { try $0.tracks.samples(of: id, in: try $0.spaces.own()) }
    }

    private func chunks(_ device: Device) throws -> [Digest: [UInt8]] {
        let database = try Database(path: device.path + "/replica.db")
        // The wraps of the first key epoch are for the device that founded the space alone.
        let sql: SQL = "SELECT hash, bytes FROM chunk WHERE bytes IS NOT NULL AND kind != 2"
        let chunks = try database.all(sql) {
            ($0.digest(0), $0.blob(1))
        }
        return Dictionary(uniqueKeysWithValues: chunks)
    }

    @Test func `both recordings reach the second device bit for bit`() async throws {
        let site = try Site()
        let shared = try #require(Inputs.shared)
        let log = shared + "/nmea/bundg_zeus_9.log"
        let boat = try await site.device("boat")
        try await boat("record", "--nmea", log, "--name", "Zeus", "--sport", "sailing")
        try await boat("import", shared + "/gpx/mtk_logger_m241_multiple_tracks.gpx")
        let phone = try await site.device("phone")
        try await site.serving { _ in
            try await boat("join", try await site.invite())
            try await boat("sync")
            try await phone("join", try await boat.link())
            try await phone("sync")
            try await boat("sync")
        }
        try await site.expectEqual(boat, phone)
        #expect(try chunks(boat) == chunks(phone))
        let tracks = try await phone.tracks()
        let imported = tracks.filter { $0.name != "Zeus" }
        #expect(imported.count == 6)
        #expect(imported.compactMap(\.points).reduce(0, +) == 14_263)
        let zeus = try #require(tracks.first { $0.name == "Zeus" }).id
        let heel = try await samples(phone, zeus).compactMap { $0[.heel] }
        #expect(heel == (try heelReadings(of: log)))
        #expect(heel.count == 148)
        #expect(heel.min() == -4.9 && heel.max() == 4.5)
        for track in tracks {
            let files = [boat, phone].map { "\(site.path)/\($0.name)-\(track.id).gpx" }
            for (device, file) in zip([boat, phone], files) {
                try await device("export", track.id, "--format", "gpx", "--output", file)
            }
            let written = try files.map { try Data(contentsOf: URL(filePath: $0)) }
            #expect(written[0] == written[1])
        }
        try expectHeelAndPitch(in: "\(site.path)/phone-\(zeus).gpx", points: 149)
    }

    private func expectHeelAndPitch(in file: String, points: Int) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        func count(_ part: String) -> Int { text.ranges(of: part).count }
        #expect(count("<trkpt ") == points)
        // Nearest within a second: points at the log's ends may have none.
        #expect(count("<wake:heel>") >= 145 && count("<wake:heel>") <= points)
        #expect(count("<wake:pitch>") >= 145 && count("<wake:pitch>") <= points)
    }
}
