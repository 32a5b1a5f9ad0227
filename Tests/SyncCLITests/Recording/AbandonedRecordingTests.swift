import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// What a person sees of a recording while nobody records it any more, before anybody wrote so.
@Suite struct AbandonedRecordingTests {
    private let scratch: ScratchFolder
    private var folder: String { scratch.path }

    init() throws {
        scratch = try ScratchFolder()
    }

    private func run(_ words: String...) async -> (output: String, error: String) {
        let test = TestContext(environment: ["WAKE_DATA": folder])
        let code = await Wake.program.run(words, in: test.context)
        let error = test.error.take()
        #expect(code == .success, "\(words): \(error)")
        return (test.output.take(), error)
    }

    /// A recording of ten fixes that nobody ended.
    private func record() async throws -> Recording {
        _ = await run("init", "--name", "boat")
        let replica = try Replica(path: Library.path(in: folder))
        let start = UnixTime(milliseconds: 1_777_629_600_000)
        var recording = try await replica.write {
            try $0.recordings.start(
                name: "Evening sail",
                sport: "sailing",
                in: try $0.spaces.own(),
                at: Moment(start)
            )
        }
        let samples = (0..<10 as Range<Int64>).map { index in
            let time = UnixTime(milliseconds: start.milliseconds + index * 1000)
            var sample = Sample(time: time)
            sample[count: .latitude] = 528_500_000 + index * 100
            sample[count: .longitude] = 53_100_000
            return sample
        }
        recording = try await replica.write { [recording] in
            try $0.recordings.append(samples, to: recording, at: Moment(start))
        }
        return recording
    }

    @Test func `without its recorder a recording is told as interrupted, and nothing is written`()
        async throws
    {
        let id = String(try await record().track.description.prefix(8))
        let hint = "'wake record --resume --nmea …' continues"
        let list = await run("tracks", "list")
        #expect(list.output.contains("Evening sail (interrupted)"), "\(list.output)")
        #expect(list.error.contains("\(hint) \(id) 'Evening sail'"), "\(list.error)")
        let page = await run("tracks", "show", id).output
        #expect(page.hasPrefix("Evening sail (interrupted)\n"), "\(page)")
        #expect(page.contains("recording  interrupted; \(hint) it\n"), "\(page)")
        #expect(await run("tracks", "show", id, "--json").output.contains("\"interrupted\""))
        #expect(await run("status").output.contains("interrupted after 10 samples"))
        let replica = try Replica(path: Library.path(in: folder))
        let stored = try await replica.read { try $0.tracks.all(in: try $0.spaces.own()) }
        #expect(stored.map(\.status) == [.recording])
    }

    @Test func `what is made of an abandoned recording ends where that was interrupted`()
        async throws
    {
        let id = String(try await record().track.description.prefix(8))
        _ = await run("tracks", "split", id, "--at", "+0:05")
        let list = await run("tracks", "list").output
        #expect(list.contains("Evening sail (1) "), "\(list)")
        #expect(list.contains("Evening sail (2) (interrupted)"), "\(list)")
    }

    @Test func `a recorder reports that it waits for a packer, and can be interrupted`()
        async throws
    {
        _ = await run("init", "--name", "boat")
        var test = TestContext(environment: ["WAKE_DATA": folder])
        test.interrupt(after: 150)
        let context = test.context
        try await RecorderLock.packing(in: folder) {
            let words = ["record", "--nmea", "/dev/null"]
            #expect(await Wake.program.run(words, in: context) == .failure)
        }
        #expect(
            test.error.take() == """
                waiting for another program to pack an interrupted recording
                wake: error: interrupted while waiting for another program that packs a recording

                """
        )
        #expect(test.clock.now().milliseconds == 1_777_627_800_000 + 1500)
    }

    @Test func `while its recorder runs a recording goes on`() async throws {
        let id = String(try await record().track.description.prefix(8))
        let lock = try await RecorderLock(folder: folder) { _ in throw CancellationError() }
        defer { withExtendedLifetime(lock) {} }
        let list = await run("tracks", "list")
        #expect(list.output.contains("Evening sail (recording)"), "\(list.output)")
        #expect(!list.error.contains("--resume"), "\(list.error)")
        #expect(await run("tracks", "show", id).output.hasPrefix("Evening sail (recording)\n"))
        #expect(await run("status").output.contains("10 samples, running"))
    }
}
