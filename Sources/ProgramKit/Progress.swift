package import SyncCore
internal import Synchronization

/// A line that shows how far a long task is; drawn on a terminal only, and gone at the end.
///
/// It is drawn at most ten times a second. With `--quiet`, and where standard error is no terminal,
/// nothing is drawn. Any thread may update it.
package final class Progress: Sendable {
    /// What is counted.
    package enum Unit: Sendable {
        case bytes
        /// Anything else, with the word for many of it.
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

    /// A task of `total` units, nil where that is not known.
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

    /// Goes on with another part of the task.
    package func begin(_ label: String, total: Int?, unit: Unit) {
        state.withLock {
            $0 = State(label: label, total: total, unit: unit, start: now(), drawn: $0.drawn)
        }
    }

    /// Draws how many units are done, unless the line was drawn a moment ago.
    package func update(done: Int, total: Int? = nil) {
        guard output.isErrorTerminal, !output.isQuiet else { return }
        // Within the lock, so that no line comes after the end.
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

    /// Clears the line.
    package func end() {
        state.withLock { state in
            guard state.drawn != nil else { return }
            state.drawn = nil
            output.clearDrawnLine()
        }
    }

    /// The line for so many units at a time.
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
