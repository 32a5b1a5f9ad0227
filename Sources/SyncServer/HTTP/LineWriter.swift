internal import Dispatch
internal import ProgramKit

/// Writes lines to a descriptor on its own queue, so that callers never wait for a slow reader.
///
/// Beyond `lineLimit` waiting lines, further ones are dropped and counted.
final class LineWriter: Sendable {
    private struct Backlog: Sendable {
        var lines = 0
        var dropped = 0
    }

    private let descriptor: Int32
    private let lineLimit: Int
    private let queue = DispatchQueue(label: "wake.lines")
    private let backlog = Locked(Backlog())

    init(_ descriptor: Int32, lineLimit: Int = 10_000) {
        self.descriptor = descriptor
        self.lineLimit = lineLimit
    }

    /// Queues a line, which includes its line end.
    func callAsFunction(_ line: String) {
        let isTaken = backlog.withLock { backlog in
            let hasRoom = backlog.lines < lineLimit
            backlog.lines += hasRoom ? 1 : 0
            backlog.dropped += hasRoom ? 0 : 1
            return hasRoom
        }
        if isTaken { queue.async { self.write(line) } }
    }

    private func write(_ line: String) {
        let dropped = backlog.withLock { backlog in
            defer { backlog.dropped = 0 }
            backlog.lines -= 1
            return backlog.dropped
        }
        let text = (dropped > 0 ? "dropped \(dropped.counted("log line"))\n" : "") + line
        Console.send(Array(text.utf8), to: descriptor)
    }

    /// Waits at most one second until the queued lines are written.
    func finish() {
        let last = DispatchWorkItem {}
        queue.async(execute: last)
        _ = last.wait(timeout: .now() + .seconds(1))
    }
}
