import ProgramKit
import SyncCore
import Synchronization
import Testing

@Suite struct ProgressTests {
    /// A clock that the test moves.
    private final class Hand: Sendable {
        private let time = Mutex(UnixTime(milliseconds: 1_777_627_800_000))

        @Sendable func now() -> UnixTime { time.withLock { $0 } }

        func advance(milliseconds: Int64) {
            time.withLock { $0.milliseconds += milliseconds }
        }
    }

    private let clock = Hand()

    @Test func `progress is drawn on a terminal, not too often, and cleared`() {
        let test = TestContext()
        var output = test.output
        output.isErrorTerminal = true
        let progress = Progress(
            "import",
            total: 200,
            unit: .items("points"),
            output: output,
            now: clock.now
        )
        clock.advance(milliseconds: 500)
        progress.update(done: 50)
        progress.update(done: 51)
        #expect(
            test.errors.take()
                == "\r\u{1B}[Kimport  ██████░░░░░░░░░░░░░░░░░░   25 %  100 points/s"
        )
        progress.end()
        progress.end()
        #expect(test.errors.take() == "\r\u{1B}[K")
    }

    @Test func `another part of a task begins with nothing done`() {
        let test = TestContext()
        var output = test.output
        output.isErrorTerminal = true
        let progress = Progress("a", total: 2, unit: .bytes, output: output, now: clock.now)
        clock.advance(milliseconds: 1000)
        progress.begin("b", total: nil, unit: .bytes)
        clock.advance(milliseconds: 1000)
        progress.update(done: 10, total: 20)
        #expect(
            test.errors.take() == "\r\u{1B}[Kb  ████████████░░░░░░░░░░░░   50 %  10 B/s"
        )
    }

    @Test func `progress is silent where there is no terminal`() {
        let test = TestContext()
        let progress = Progress(
            "sync",
            total: nil,
            unit: .bytes,
            output: test.output,
            now: clock.now
        )
        progress.update(done: 50)
        progress.end()
        #expect(test.errors.take().isEmpty)
        #expect(progress.line(done: 3000, at: clock.now()) == "sync  3.0 kB  3.0 MB/s")
    }
}
