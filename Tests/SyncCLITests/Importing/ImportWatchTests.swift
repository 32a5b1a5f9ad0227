import Foundation
import Spawning
import SyncCore
import Testing

@testable import SyncCLI

/// A `wake import --watch` in a process of its own.
@Suite(.serialized) struct ImportWatchTests {
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
        for _ in 0..<300 {
            if try await shore.tracks().count >= count { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("\(count) tracks did not come in thirty seconds")
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
        // Written bit by bit, as a slow copy is.
        let bytes = Sail.gpx("slow", hour: 14)
        for part in 1...4 {
            try shore.put("in/deep/slow.gpx", Array(bytes.prefix(bytes.count * part / 4)))
            try await Task.sleep(for: .milliseconds(700))
        }
        try shore.put("in/again.gpx", Sail.gpx("there"))
        try await wait(for: 2, in: shore)
        process.send(signal)
        let ending = await process.finish()
        #expect(ending == .code(0))
        let text = String(
            decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(),
            as: UTF8.self
        )
        #expect(text.contains("watching \(folder); Ctrl-C ends it\n"))
        #expect(text.components(separatedBy: "bad.gpx:1: the file ends too early").count == 2)
        #expect(!text.contains("slow.gpx:1: the file ends too early"))
        #expect(Set(try await shore.tracks().map(\.title)) == ["there", "slow"])
    }

    @Test func `a folder that is not there is told`() async throws {
        let shore = try await Shore()
        let outcome = await shore.run("import", "--watch", shore.folder + "/none")
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.contains("there is no folder \(shore.folder)/none"))
        #expect(await shore.run("import", "--watch", shore.folder, "x").code == .usage)
        #expect(await shore.run("import").code == .usage)
    }
}
