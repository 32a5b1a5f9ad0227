import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// Whole libraries on their way to a folder.
@Suite struct ExportTests {
    private let scratch: ScratchFolder

    private var folder: String { scratch.path }
    private var target: String { folder + "/out" }

    init() throws {
        scratch = try ScratchFolder()
    }

    private struct Outcome {
        let code: ExitCode
        let output: String
        let errors: String
    }

    /// Runs a command; after so many questions whether a person interrupted it, one did.
    private func run(_ words: [String], interruptedAfter count: Int = .max) async -> Outcome {
        var test = TestContext(environment: ["WAKE_DATA": folder + "/data"])
        test.interrupt(after: count)
        let code = await Wake.program.run(words, in: test.context)
        return Outcome(code: code, output: test.output.take(), errors: test.error.take())
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: target).sorted()
    }

    /// Takes in tracks with these names, a minute apart.
    private func library(_ names: [String], points: Int = 3) async throws {
        _ = await run(["init", "--name", "boat"])
        let tracks = names.enumerated().map { index, name in
            let start = 1_777_629_600_000 + Int64(index) * 60_000
            return ImportedTrack(
                name: name,
                sport: "sailing",
                samples: (0..<points).map { second in
                    var sample = Sample(time: UnixTime(milliseconds: start + Int64(second) * 1000))
                    sample[.latitude] = 52 + Double(second) * 1e-5
                    sample[.longitude] = 5
                    return sample
                }
            )
        }
        var document: [UInt8] = []
        try GPXWriter.write(tracks) { document += $0 }
        try Data(document).write(to: URL(filePath: "\(folder)/in.gpx"))
        let outcome = await run(["import", "\(folder)/in.gpx"])
        #expect(outcome.code == .success, "\(outcome.errors)")
    }

    @Test func `hostile names stay in the folder, each with a file of its own`() async throws {
        let names = [
            "../../x", "..\\..\\x", "%2e%2e", "CON", "con", "\u{202e}gpx", "a/b", "same", "same",
            String(repeating: "n", count: 300), ".hidden", "<img onerror=x>", "=1+1",
        ]
        try await library(names)
        for format in ExportFormat.allCases {
            let outcome = await run(["export", "--format", format.rawValue, "--folder", target])
            #expect(outcome.code == .success, "\(outcome.errors)")
        }
        let files = try files()
        #expect(files.count == names.count * ExportFormat.allCases.count)
        #expect(files.allSatisfy { $0.wholeMatch(of: /2026-05-01-[A-Za-z0-9._-]+\.[a-z]+/) != nil })
        #expect(Set(files.map { $0.lowercased() }).count == files.count)
        let beside = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(beside == ["data", "in.gpx", "out"])
    }

    @Test func `an interrupted export goes on when it is run again`() async throws {
        try await library((0..<6).map { "track \($0)" })
        let words = ["export", "--format", "gpx", "--folder", target]
        let first = await run(words, interruptedAfter: 6)
        #expect(first.code == .failure)
        #expect(first.errors.contains("interrupted after 3 of 6 tracks"), "\(first.errors)")
        #expect(first.errors.contains("run the same command again to continue"))
        let written = try files()
        #expect(written.count == 3 && written.allSatisfy { $0.hasSuffix(".gpx") })
        let path = "\(target)/\(written[0])"
        try Data("mine".utf8).write(to: URL(filePath: path))
        let second = await run(words)
        #expect(second.code == .success)
        #expect(second.output == "wrote 3 tracks to \(target), 3 already there\n")
        #expect(try files().count == 6)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        let third = await run(words + ["--force"])
        #expect(third.output == "wrote 6 tracks to \(target)\n")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<?xml"))
    }

    @Test func `an interrupted file is not there`() async throws {
        try await library(["long"], points: 5000)
        let path = folder + "/out.gpx"
        let outcome = await run(
            ["export", "--format", "gpx", "--output", path],
            interruptedAfter: 2
        )
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("interrupted; \(path) was not written"))
        let beside = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(beside == ["data", "in.gpx"])
    }

    @Test func `what is still recorded is written anew every time`() async throws {
        try await library(["done"])
        let replica = try Replica(path: folder + "/data/replica.db")
        let space = try await replica.read { try $0.spaces.own() }
        let now = Moment(UnixTime(milliseconds: 1_777_700_000_000))
        var recording = try await replica.write {
            try $0.recordings.start(
                name: "going on",
                sport: nil,
                in: space,
                at: now
            )
        }
        var sample = Sample(time: now.wall)
        sample[.latitude] = 1
        sample[.longitude] = 2
        recording = try await replica.write { [recording, sample] in
            try $0.recordings.append([sample], to: recording, at: now)
        }
        let words = ["export", "--format", "csv", "--folder", target]
        #expect(await run(words).output == "wrote 2 tracks to \(target)\n")
        sample.time = UnixTime(milliseconds: now.wall.milliseconds + 1000)
        recording = try await replica.write { [recording, sample] in
            try $0.recordings.append([sample], to: recording, at: now)
        }
        #expect(await run(words).output == "wrote 1 track to \(target), 1 already there\n")
        let partial = try #require(try files().first { $0.contains("-partial.csv") })
        let text = try String(contentsOfFile: "\(target)/\(partial)", encoding: .utf8)
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 3)
        try await replica.write { [recording] in try $0.recordings.stop(recording, at: now) }
        #expect(await run(words).output == "wrote 1 track to \(target), 1 already there\n")
        #expect(await run(words).output == "wrote 0 tracks to \(target), 2 already there\n")
    }

    @Test func `a track whose chunks are missing is told, and is whole later`() async throws {
        try await library(["here", "far"])
        let replica = try Replica(path: folder + "/data/replica.db")
        let space = try await replica.read { try $0.spaces.own() }
        let track = try #require(
            try await replica.read { try $0.tracks.all(in: space) }.first { $0.name == "far" }
        ).id
        let database = try Database(path: folder + "/data/replica.db")
        try database.run("UPDATE chunk SET bytes = NULL WHERE track = \(track.bytes)")
        try database.run("UPDATE track SET missing = 1 WHERE id = \(track.bytes)")
        let words = ["export", "--format", "gpx", "--folder", target]
        let first = await run(words)
        #expect(first.code == .failure)
        #expect(first.errors.contains("'far' is incomplete: 1 chunk not received yet"))
        #expect(try files().count { $0.hasSuffix("-partial.gpx") } == 1)
        try database.run("UPDATE track SET missing = 0")
        #expect(await run(words).output == "wrote 1 track to \(target), 1 already there\n")
        #expect(try files().count == 3)
    }

    @Test(arguments: ExportFormat.allCases)
    func `standard output gets what a file gets`(format: ExportFormat) async throws {
        try await library(["one", "two"])
        let path = folder + "/out"
        let piped = await run(["export", "--format", format.rawValue])
        _ = await run(["export", "--format", format.rawValue, "--output", path])
        #expect(piped.code == .success && piped.errors.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(piped.output.utf8))
    }

    @Test func `a name does not depend on other tracks`() async throws {
        try await library(["one"])
        let words = ["export", "--format", "gpx", "--folder", target]
        _ = await run(words)
        let names = try files()
        let replica = try Replica(path: folder + "/data/replica.db")
        let space = try await replica.read { try $0.spaces.own() }
        let id = try #require(try await replica.read { try $0.tracks.all(in: space) }.first).id
        // One that begins alike.
        let twin = try #require(Identifier(bytes: Array(id.bytes.dropLast()) + [id.bytes[15] ^ 1]))
        _ = try await replica.write {
            try $0.rows.write(
                [Edit(Key(TrackField.collection, .id(twin), TrackField.name), .text("two"))],
                in: space,
                at: Moment(UnixTime(milliseconds: 1_777_700_000_000))
            )
        }
        let again = await run(words)
        #expect(again.output == "wrote 1 track to \(target), 1 already there\n")
        #expect(Set(try files()).isSuperset(of: names))
        #expect(names.allSatisfy { $0.contains(id.description) })
    }

    @Test func `a damaged track is told, and the others are written`() async throws {
        try await library(["one", "two", "three"])
        let replica = try Replica(path: folder + "/data/replica.db")
        let space = try await replica.read { try $0.spaces.own() }
        let track = try #require(
            try await replica.read { try $0.tracks.all(in: space) }.first { $0.name == "two" }
        )
        let database = try Database(path: folder + "/data/replica.db")
        try database.run("UPDATE chunk SET bytes = \([1, 2, 3]) WHERE track = \(track.id.bytes)")
        let words = ["export", "--format", "gpx", "--folder", target]
        let outcome = await run(words)
        #expect(outcome.code == .failure)
        #expect(outcome.output == "wrote 2 tracks to \(target)\n")
        #expect(outcome.errors.contains("cannot export \(track.label): the points of a track are"))
        #expect(try files().count == 2)
        let again = await run(words)
        #expect(again.code == .failure)
        #expect(again.output == "wrote 0 tracks to \(target), 2 already there\n")
    }

    @Test func `what a killed export left is in the way of none`() async throws {
        try await library(["one"])
        let left = "\(folder)/out.gpx.\(getpid()).part"
        try Data("left".utf8).write(to: URL(filePath: left))
        let outcome = await run(["export", "--format", "gpx", "--output", folder + "/out.gpx"])
        #expect(outcome.code == .success, "\(outcome.errors)")
        // Another program may still write it.
        #expect(try String(contentsOfFile: left, encoding: .utf8) == "left")
        let beside = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(beside.count { $0.hasSuffix(".part") } == 1)
    }
}
