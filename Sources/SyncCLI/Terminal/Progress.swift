import SyncCore

/// A line that shows how far a long task is; drawn on a terminal only, and gone at the end.
///
/// A value: it reads the time through the closure it was given and draws at most ten times a
/// second. With `--quiet`, and where standard error is no terminal, it draws nothing.
struct Progress: Sendable {
    /// What is counted.
    enum Unit: Sendable {
        case bytes
        /// Anything else, with the word for many of it.
        case items(String)
    }

    private static let pauseMilliseconds: Int64 = 100
    private static let barColumns = 24

    private let label: String
    private let total: Int?
    private let unit: Unit
    private let output: Output
    private let now: @Sendable () -> UnixTime
    private let start: UnixTime
    private var drawn: UnixTime?

    /// A task of `total` units, nil where that is not known.
    init(_ label: String, total: Int?, unit: Unit, context: Context) {
        self.label = label.withoutControls
        self.total = total
        self.unit = unit
        output = context.output
        now = context.now
        start = context.now()
    }

    /// Draws how many units are done, unless it was drawn a moment ago.
    mutating func update(done: Int) {
        guard output.isErrorTerminal, !output.isQuiet else { return }
        let time = now()
        if let drawn, time.milliseconds - drawn.milliseconds < Self.pauseMilliseconds { return }
        drawn = time
        let line = line(done: done, at: time).shortened(to: (output.columns ?? 80) - 1)
        output.writeError(Array("\r\u{1B}[K\(line)".utf8))
    }

    /// Clears the line.
    mutating func end() {
        guard drawn != nil else { return }
        drawn = nil
        output.writeError(Array("\r\u{1B}[K".utf8))
    }

    /// The line for so many units at a time.
    func line(done: Int, at time: UnixTime) -> String {
        let elapsed = Double(max(1, time.milliseconds - start.milliseconds)) / 1000
        let rate = amount(Double(done) / elapsed) + "/s"
        guard let total, total > 0 else { return "\(label)  \(amount(Double(done)))  \(rate)" }
        let part = min(max(Double(done) / Double(total), 0), 1)
        let filled = Int(part * Double(Self.barColumns))
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.barColumns - filled)
        return "\(label)  \(bar)  \((part * 100).fixed(0).rightAligned(to: 3)) %  \(rate)"
    }

    private func amount(_ count: Double) -> String {
        switch unit {
        case .bytes: ByteCount.text(count)
        case .items(let word): "\(count.fixed(0)) \(word)"
        }
    }
}
