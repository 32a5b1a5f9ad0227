import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// When a mark is that a person makes from another terminal.
@Suite struct RecordingMarkTests {
    /// When the last fix of the recording was.
    private static let last: Int64 = 1_777_629_609_000

    /// The time of a mark that is made on a recording when the machine's clock is so far from the
    /// last fix.
    private func mark(off milliseconds: Int64) async throws -> Int64? {
        let scratch = try ScratchFolder()
        let test = TestContext(environment: ["WAKE_DATA": scratch.path])
        let program = Wake.program
        _ = await program.run(["init", "--name", "boat"], in: test.context)
        test.clock.advance(
            milliseconds: Self.last + milliseconds - test.clock.now().milliseconds
        )
        let replica = try Replica(path: Library.path(in: scratch.path))
        let space = try await replica.read { try $0.spaces.own() }
        var recording = try await replica.write {
            try $0.recordings.start(
                name: "Sail",
                sport: "sailing",
                in: space,
                at: Moment(test.clock.now())
            )
        }
        let samples = (0..<10 as Range<Int64>).map { index in
            var sample = Sample(time: UnixTime(milliseconds: Self.last - (9 - index) * 1000))
            sample[count: .latitude] = 528_500_000 + index * 100
            sample[count: .longitude] = 53_100_000
            return sample
        }
        recording = try await replica.write { [recording] in
            try $0.recordings.append(samples, to: recording, at: Moment(test.clock.now()))
        }
        let lock = try await RecorderLock(folder: scratch.path) { _ in throw CancellationError() }
        defer { withExtendedLifetime(lock) {} }
        lock.note(recording.track)
        let code = await program.run(["recording", "mark", "anchored"], in: test.context)
        #expect(code == .success, "\(test.error.take())")
        let marks = try await replica.read { [recording] in
            try $0.marks.all(of: recording.track, in: space)
        }
        #expect(marks.map(\.text) == ["anchored"])
        return marks.first?.time.milliseconds
    }

    @Test(arguments: [0, 2500, 3_600_000, -3_600_000] as [Int64])
    func `with a clock that is right a mark is at its moment`(off: Int64) async throws {
        #expect(try await mark(off: off) == Self.last + off)
    }

    @Test(arguments: [3_600_001, -3_600_001, 220_000_000_000, -220_000_000_000] as [Int64])
    func `with a clock that is far off a mark is at the last fix`(off: Int64) async throws {
        #expect(try await mark(off: off) == Self.last)
    }
}
