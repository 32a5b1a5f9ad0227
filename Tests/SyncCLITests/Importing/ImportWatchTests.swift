import Foundation
import Harness
import ProgramKit
import SyncCore
import Synchronization
import Testing

@testable import SyncCLI

/// A `wake import --watch` in a process of its own.
@Suite(.idleProcesses) struct ImportWatchTests {
    private func watch(_ folder: String, _ shore: Shore, _ pipe: Pipe) throws -> SpawnedProcess {
        let process = try SpawnedProcess(
            RecorderProcess.program.path(),
            ["import", "--watch", folder],
            environment: ["WAKE_DATA": shore.folder + "/data"],
            SpawnedProcess.Streams(
                output: pipe.fileHandleForWriting,
                errors: pipe.fileHandleForWriting
            )
        )
        try pipe.fileHandleForWriting.close()
        return process
    }

    /// Waits until there are so many tracks.
    private func wait(for count: Int, in shore: Shore) async throws {
        try await until("\(count) tracks") { try await shore.tracks().count >= count }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `what is there and what comes is taken in once, until a signal ends it`(
        signal: Int32
    ) async throws {
        let shore = try await Shore()
        let folder = shore.folder + "/in"
        try FileManager.default.createDirectory(
            atPath: folder + "/deep",
            withIntermediateDirectories: true
        )
        try shore.put("in/there.gpx", Sail.gpx("there"))
        try shore.put("in/bad.gpx", Array("<gpx><trk>".utf8))
        let pipe = Pipe()
        let process = try watch(folder, shore, pipe)
        try await wait(for: 1, in: shore)
        try shore.put("in/deep/later.gpx", Sail.gpx("later", hour: 14))
        try shore.put("in/again.gpx", Sail.gpx("there"))
        try await wait(for: 2, in: shore)
        process.send(signal)
        let ending = await process.finish()
        #expect(ending == .code(0))
        let text = String(
            decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(),
            as: UTF8.self
        )
        #expect(text.contains("watching \(folder); press Ctrl-C to stop\n"))
        #expect(text.components(separatedBy: "bad.gpx:1: the file ends too early").count == 2)
        #expect(Set(try await shore.tracks().map(\.title)) == ["there", "later"])
    }

    @Test func `a folder that is not there is told`() async throws {
        let shore = try await Shore()
        let outcome = await shore.run("import", "--watch", shore.folder + "/none")
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.contains("\(shore.folder)/none is not a folder"))
        #expect(await shore.run("import", "--watch", shore.folder, "x").code == .usage)
        #expect(await shore.run("import").code == .usage)
    }
}

/// The same within the test, with a clock that the test moves: between two steps a minute goes by.
@Suite struct FolderWatchTests {
    /// What is done to the folder, a minute apart, and a minute after the last the end.
    private final class Schedule: Sendable {
        private let rest: Mutex<(steps: ArraySlice<@Sendable () throws -> Void>, milliseconds: Int)>

        init(_ steps: [@Sendable () throws -> Void]) {
            rest = Mutex((steps[...], 0))
        }

        var isOver: Bool {
            rest.withLock { $0.steps.isEmpty && $0.milliseconds >= 60_000 }
        }

        func go(milliseconds: Int) throws {
            let step = rest.withLock { rest in
                rest.milliseconds += milliseconds
                guard rest.milliseconds >= 60_000, let step = rest.steps.popFirst() else {
                    return nil as (@Sendable () throws -> Void)?
                }
                rest.milliseconds = 0
                return step
            }
            try step?()
        }
    }

    private static func watch(
        _ shore: Shore,
        _ words: String...,
        steps: [@Sendable () throws -> Void]
    ) async throws -> Shore.Outcome {
        var test = TestContext(environment: ["WAKE_DATA": shore.folder + "/data"])
        let schedule = Schedule(steps)
        let clock = test.clock
        test.context.catchInterrupts = { { schedule.isOver } }
        test.context.sleep = { milliseconds in
            clock.advance(milliseconds: Int64(milliseconds))
            try schedule.go(milliseconds: milliseconds)
        }
        let code = await Wake.program.run(
            ["import", "--watch", shore.folder + "/in"] + words,
            in: test.context
        )
        return Shore.Outcome(code: code, text: test.output.take(), errors: test.error.take())
    }

    private static func shore() async throws -> Shore {
        let shore = try await Shore()
        try FileManager.default.createDirectory(
            atPath: shore.folder + "/in/deep",
            withIntermediateDirectories: true
        )
        return shore
    }

    private static func sail() -> SyntheticSail {
        SyntheticSail(seed: 1, start: UnixTime(milliseconds: 1_777_000_000_000), seconds: 300)
    }

    @Test(arguments: ["keep", "skip", "replace"])
    func `a log that grows is one track, and keeps what a person wrote of it`(
        choice: String
    ) async throws {
        let shore = try await Self.shore()
        let log = Self.sail().nmea
        let steps = [0.01, 0.2, 0.5].map { part -> @Sendable () throws -> Void in
            { try shore.put("in/log.nmea", Array(log.prefix(Int(Double(log.count) * part)))) }
        }
        let first = try await Self.watch(shore, "--on-duplicate", choice, steps: steps)
        #expect(first.text.contains("continues"), "\(first.text)\(first.errors)")
        let track = try #require(try await shore.tracks().first)
        _ = await shore.run("tracks", "rename", track.id.description, "To Lemmer")
        // Another run knows nothing of the first.
        let last = try await Self.watch(
            shore,
            "--on-duplicate",
            choice,
            steps: [{ try shore.put("in/log.nmea", log) }]
        )
        #expect(
            last.text.contains("'To Lemmer'; the existing track is in the trash"),
            "\(last.text)"
        )
        let tracks = try await shore.tracks()
        #expect(tracks.map(\.title) == ["To Lemmer"])
        #expect(tracks.first?.pointCount == 300)
        #expect(try await shore.tracks(deleted: true).count == 3)
    }

    @Test func `a document that is written anew with more in it is one track`() async throws {
        let shore = try await Self.shore()
        let steps = [30, 90, 200].map { seconds -> @Sendable () throws -> Void in
            { try shore.put("in/deep/a.gpx", Sail.gpx(seconds: seconds)) }
        }
        _ = try await Self.watch(shore, steps: steps)
        #expect(try await shore.tracks().map(\.pointCount) == [200])
    }

    @Test func `one with other samples, or with marks of a person, stays beside it`() async throws {
        let shore = try await Self.shore()
        try shore.put("in/a.gpx", Sail.gpx(seconds: 90))
        _ = try await Self.watch(shore, steps: [])
        let track = try #require(try await shore.tracks().first)
        _ = try await Self.watch(
            shore,
            steps: [{ try shore.put("in/a.gpx", Sail.gpx(seconds: 200, north: 54.300_001)) }]
        )
        #expect(Set(try await shore.tracks().map(\.pointCount)) == [90, 200])
        let replica = try Replica(path: shore.folder + "/data/replica.db")
        let mark = Mark("here", at: try #require(track.start).time, id: track.id)
        try await replica.write {
            try $0.rows.write(
                [Edit(Key(Mark.collection, .id(track.id), mark.field), mark.value)],
                in: try $0.spaces.own(),
                at: Moment(UnixTime(milliseconds: 1_777_000_000_000))
            )
        }
        _ = try await Self.watch(
            shore,
            steps: [{ try shore.put("in/a.gpx", Sail.gpx(seconds: 300)) }]
        )
        #expect(Set(try await shore.tracks().map(\.pointCount)) == [90, 200, 300])
    }

    @Test(.enabled(if: geteuid() != 0, "root may read all"))
    func `a folder in it that cannot be read is told once, and the rest is watched`() async throws {
        let shore = try await Self.shore()
        let deep = shore.folder + "/in/deep"
        #expect(unsafe chmod(deep, 0) == 0)
        defer { unsafe chmod(deep, 0o700) }
        let outcome = try await Self.watch(
            shore,
            steps: [{ try shore.put("in/a.gpx", Sail.gpx()) }, {}]
        )
        #expect(try await shore.tracks().count == 1)
        #expect(outcome.errors.components(separatedBy: "cannot read \(deep): ").count == 2)
    }
}
