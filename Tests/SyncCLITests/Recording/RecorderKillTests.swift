import Foundation
import Harness
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// A recorder that dies loses nothing that was stored, and stores what came without more input.
///
/// `RecorderPaceTests` proves the one-second limit with a manual clock. A failure prints the seed.
@Suite(.serialized, .processes) struct RecorderKillTests {
    private static let start = UnixTime(milliseconds: 1_777_629_600_000)

    /// A data folder with a replica.
    private struct Boat {
        let folder: String

        init() async throws {
            folder = FileManager.default.temporaryDirectory
                .appending(path: "wake-\(UInt64.random(in: .min ... .max))").path()
            _ = try await run("init", "--name", "boat")
        }

        func run(_ words: String...) async throws -> (code: ExitCode, text: String) {
            let test = TestContext(environment: ["WAKE_DATA": folder])
            let code = await Wake.program.run(words, in: test.context)
            return (code, test.output.take() + test.error.take())
        }

        func tracks() async throws -> [Track] {
            let replica = try Replica(path: folder + "/replica.db")
            return try await replica.read { try $0.tracks.all(in: try $0.spaces.own()) }
        }

        /// The times of all samples of the only track.
        func times() async throws -> [UnixTime] {
            let replica = try Replica(path: folder + "/replica.db")
            let space = try await replica.read { try $0.spaces.own() }
            guard let track = try await replica.read({ try $0.tracks.all(in: space) }).first else {
                return []
            }
            return try await replica.read { try $0.tracks.samples(of: track.id, in: space) }
                .compactMap(\.time)
        }

        /// Waits until a fix is stored.
        func wait(for time: UnixTime) async throws {
            try await until("a fix of \(time)") { try await times().contains(time) }
        }

        func remove() {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Three kills for each seed, so that a case stays far below the limit of a hang.
    @Test(arguments: Rounds.seeds(1))
    func `T1 a killed recorder loses nothing that it stored and can be resumed`(
        seed: UInt64
    ) async throws {
        var random = RandomSource.seeded(seed)
        let boat = try await Boat()
        defer { boat.remove() }
        var (promised, written): ([UnixTime], Set<UnixTime>) = ([], [])
        var next = Self.start
        for round in 1...3 {
            let recorder = try RecorderProcess(
                ["record", "--nmea", "-"] + (round > 1 ? ["--resume"] : []),
                data: boat.folder
            )
            /// Writes some fixes; returns their times.
            func writeFixes() throws -> [UnixTime] {
                try (0..<Int.random(in: 1...20, using: &random)).map { _ in
                    next.milliseconds += Int64.random(in: 10...400, using: &random)
                    try recorder.write(next)
                    return next
                }
            }
            promised += try writeFixes()
            // The last fix is stored although no further input follows.
            try await boat.wait(for: next)
            written.formUnion(try writeFixes())
            recorder.kill()
            next.milliseconds += 1000
            written.formUnion(promised)
            let stored = try await boat.times()
            let lost = promised.filter { !stored.contains($0) }
            #expect(lost.isEmpty, "seed \(seed), round \(round): lost \(lost.count) fixes")
            #expect(Set(stored).count == stored.count, "seed \(seed), round \(round): doubled")
            #expect(written.isSuperset(of: stored), "seed \(seed), round \(round): made up")
            let status = try await boat.run("status")
            #expect(status.text.contains("interrupted"), "seed \(seed): \(status.text)")
        }
        #expect(try await boat.tracks().count == 1)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal stops a recording as it should`(signal: Int32) async throws {
        let boat = try await Boat()
        defer { boat.remove() }
        let recorder = try RecorderProcess(["record", "--nmea", "-"], data: boat.folder)
        try recorder.write(Self.start)
        try await boat.wait(for: Self.start)
        let last = UnixTime(milliseconds: Self.start.milliseconds + 1000)
        try recorder.write(last)
        try await boat.wait(for: last)
        let second = try await boat.run("record", "--nmea", "/dev/null")
        #expect(second.code == .attention, "\(second.text)")
        #expect(try await boat.run("tracks", "list").text.contains("recording"))
        #expect(recorder.end(signal) == 0)
        let track = try #require(try await boat.tracks().first)
        #expect(track.status == .stopped)
        #expect(track.start?.time == Self.start)
        #expect(track.pointCount == 2)
    }

    @Test func `the end of the input ends a recording with all that came`() async throws {
        let boat = try await Boat()
        defer { boat.remove() }
        let recorder = try RecorderProcess(["record", "--nmea", "-"], data: boat.folder)
        for second in 0..<100 as Range<Int64> {
            try recorder.write(
                UnixTime(milliseconds: Self.start.milliseconds + second * 1000)
            )
        }
        #expect(try recorder.endInput() == 0)
        let track = try #require(try await boat.tracks().first)
        #expect(track.status == .stopped)
        #expect(track.pointCount == 100)
    }
}
