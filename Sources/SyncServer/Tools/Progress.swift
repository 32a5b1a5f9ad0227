/// A line on the terminal that tells how far a long task is, and is gone at its end.
///
/// What is over within a second draws nothing.
final class Progress: Sendable {
    private struct State {
        var step: Backup.Step?
        var done = 0
        var total = 0
        var isDrawn = false
    }

    private let state = Locked(State())
    private let write: @Sendable (String) -> Void
    private let ticks: Task<Void, any Error>?

    /// - Parameter isShown: whether there is a terminal.
    init(isShown: Bool, write: @escaping @Sendable (String) -> Void) {
        self.write = write
        guard isShown else {
            ticks = nil
            return
        }
        ticks = Task { [state, write] in
            try await Task.sleep(for: .seconds(1))
            while true {
                Self.draw(state, write)
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Begins a part of the work.
    func begin(_ step: Backup.Step) {
        state.withLock {
            $0.step = step
            ($0.done, $0.total) = (0, 0)
        }
    }

    /// Notes how much of it is done.
    func update(done: Int, total: Int) {
        state.withLock { ($0.done, $0.total) = (done, total) }
    }

    /// Clears the line; nothing is drawn after it.
    func end() {
        ticks?.cancel()
        let isDrawn = state.withLock {
            $0.step = nil
            return $0.isDrawn
        }
        if isDrawn { write("\r\u{1B}[K") }
    }

    private static func draw(_ state: Locked<State>, _ write: (String) -> Void) {
        // Within the lock, so that no line comes after the end.
        state.withLock {
            guard let line = line($0) else { return }
            $0.isDrawn = true
            write("\r\u{1B}[K\(line)")
        }
    }

    private static func line(_ state: State) -> String? {
        switch state.step {
        case nil: return nil
        case .copying(let bytes, let path):
            let copied = (try? FileCopy.byteCount(of: path)) ?? 0
            return "copying  \(percent(copied, of: bytes))"
        case .verifying:
            return "verifying  \(percent(Int64(state.done), of: Int64(state.total)))"
        }
    }

    private static func percent(_ done: Int64, of total: Int64) -> String {
        total > 0 ? "\(min(done * 100 / total, 100)) %" : "…"
    }
}
