import Foundation
import Harness
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// Import, export and import again give the same tracks.
@Suite struct RoundTripTests {
    /// Runs commands in a folder of their own.
    private struct Session {
        let folder: String
        let name: String

        @discardableResult
        func run(_ words: String...) async throws -> String {
            let test = TestContext(environment: ["WAKE_DATA": "\(folder)/\(name)"])
            let code = await Wake.program.run(words, in: test.context)
            let errors = test.error.take()
            #expect(code == .success, "wake \(words.joined(separator: " ")): \(errors)")
            return test.output.take()
        }

        /// Names, sports and samples of the tracks, in the order of the list.
        func tracks() async throws -> [ImportedTrack] {
            let replica = try Replica(path: "\(folder)/\(name)/replica.db")
            let space = try await replica.read { try $0.spaces.own() }
            var tracks: [ImportedTrack] = []
            for track in try await replica.read({ try $0.tracks.all(in: space) }) {
                tracks.append(
                    ImportedTrack(
                        name: track.name ?? "",
                        sport: track.sport ?? "",
                        samples: try await replica.read {
                            try $0.tracks.samples(of: track.id, in: space)
                        }
                    )
                )
            }
            return tracks.sorted { "\($0)" < "\($1)" }
        }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "wake-\(UInt64.random(in: .min ... .max))").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test(arguments: Rounds.seeds(4))
    func `made-up tracks survive`(seed: UInt64) async throws {
        try await withFolder { folder in
            var random = RandomSource.seeded(seed)
            let tracks = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Self.track(using: &random)
            }
            var document: [UInt8] = []
            try GPXWriter.write(tracks) { document += $0 }
            try Data(document).write(to: URL(filePath: "\(folder)/made.gpx"))
            try await check("\(folder)/made.gpx", in: folder)
        }
    }

    @Test(
        .enabled(if: SharedFolder.isHere, "not here: ../shared"),
        arguments: [
            "cerknicko-jezero.gpx", "cerknicko-without-times.gpx", "gpx1.0_with_all_fields.gpx",
        ] + (Rounds.isNight ? ["mtk_logger_m241_multiple_tracks.gpx"] : [])
    )
    func `real recordings survive`(name: String) async throws {
        try await withFolder { folder in
            try await check("\(SharedFolder.path)/data/gpx/\(name)", in: folder)
        }
    }

    private func check(_ file: String, in folder: String) async throws {
        let (first, second) = (
            Session(folder: folder, name: "first"), Session(folder: folder, name: "second")
        )
        try await first.run("init")
        try await second.run("init")
        try await first.run("import", file)
        try await first.run("export", "--format", "gpx", "--output", "\(folder)/out.gpx")
        try await second.run("import", "\(folder)/out.gpx")
        let before = try await first.tracks()
        #expect(try await second.tracks() == before)
        #expect(!before.isEmpty)
    }

    private static func track(using random: inout RandomSource) -> ImportedTrack {
        let count = Int.random(in: 1...200, using: &random)
        let isSplit = count > 10 && Bool.random(using: &random)
        let samples = (0..<count).map { index in
            let time = 1_777_629_600_000 + Int64(index) * 500
            var sample = Sample(time: UnixTime(milliseconds: time))
            sample[.latitude] = Double.random(in: -89...89, using: &random)
            sample[.longitude] = Double.random(in: -180...180, using: &random)
            if isSplit { sample[count: .segment] = index < count / 2 ? 0 : 1 }
            for channel in [Channel.altitude, .heel, .heartRate, .windSpeedTrue, .depth]
            where Bool.random(using: &random) {
                sample[channel] = Double.random(in: 0...100, using: &random)
            }
            return sample
        }
        let name = ["Sail <1>", "Übung & Rast", "🚣", "two\nlines"].randomElement(using: &random)
        return ImportedTrack(name: name ?? "", sport: "sailing", samples: samples)
    }
}
