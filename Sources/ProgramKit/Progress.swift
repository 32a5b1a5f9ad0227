package import SyncCore
internal import Synchronization

/// A progress line for a long task, drawn on standard error and cleared at the end.
///
/// It is drawn at most ten times a second, and not at all with `--quiet` or if standard error is
/// not a terminal. It can be updated from any thread.
package final class Progress: Sendable {
    /// The unit of progress.
    package enum Unit: Sendable {
        case bytes
        /// Other items, with their plural noun.
        case items(String)
    }

    private struct State: Sendable {
        var label: String
        var total: Int?
        var unit: Unit
        var start: UnixTime
        var drawn: UnixTime?
    }

    private static let pauseMilliseconds: Int64 = 100
    private static let barColumns = 24

    private let output: Output
    private let now: @Sendable () -> UnixTime
    private let state: Mutex<State>

    /// Creates the line for `total` units, or for an unknown total if that is nil.
    package init(
        _ label: String,
        total: Int?,
        unit: Unit,
        output: Output,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.output = output
        self.now = now
        state = Mutex(State(label: label.withoutControls, total: total, unit: unit, start: now()))
    }

    /// Begins another phase of the task.
    package func begin(_ label: String, total: Int?, unit: Unit) {
        state.withLock {
            $0 = State(label: label, total: total, unit: unit, start: now(), drawn: $0.drawn)
        }
    }

    /// Draws the progress, unless the line was drawn less than 100 ms ago.
    package func update(done: Int, total: Int? = nil) {
        guard output.isErrorTerminal, !output.isQuiet else { return }
        // Drawing inside the lock keeps a line from appearing after `end()`.
        state.withLock { state in
            let time = now()
            if let total { state.total = total }
            if let drawn = state.drawn,
                time.milliseconds - drawn.milliseconds < Self.pauseMilliseconds
            {
                return
            }
            state.drawn = time
            output.draw(line(state, done: done, at: time))
        }
    }

    package func end() {
        state.withLock { state in
            guard state.drawn != nil else { return }
            state.drawn = nil
            output.clearDrawnLine()
        }
    }

    /// Returns the line for `done` units at `time`.
    package func line(done: Int, at time: UnixTime) -> String {
        line(state.withLock { $0 }, done: done, at: time)
    }

    private func line(_ state: State, done: Int, at time: UnixTime) -> String {
        let elapsed = Double(max(1, time.milliseconds - state.start.milliseconds)) / 1000
        let rate = state.unit.text(Double(done) / elapsed) + "/s"
        let label = state.label
        guard let total = state.total, total > 0 else {
            return "\(label)  \(state.unit.text(Double(done)))  \(rate)"
        }
        let part = min(max(Double(done) / Double(total), 0), 1)
        let filled = Int(part * Double(Self.barColumns))
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.barColumns - filled)
        return "\(label)  \(bar)  \((part * 100).fixed(0).rightAligned(to: 3)) %  \(rate)"
    }
}

extension Progress.Unit {
    fileprivate func text(_ count: Double) -> String {
        switch self {
        case .bytes: ByteCount.text(count)
        case .items(let word): "\(count.fixed(0)) \(word)"
        }
    }
}
