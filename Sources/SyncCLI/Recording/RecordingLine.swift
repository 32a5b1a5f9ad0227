import SyncCore

/// What a person sees of a recording that goes on: one line on a terminal.
struct RecordingLine: Sendable {
    private static let pauseMilliseconds: Int64 = 250

    private let preferences: Preferences
    private let output: Output
    private(set) var pointCount = 0
    private var distance = Distance()
    private var start: UnixTime?
    private var last: UnixTime?
    private var speed: Double?
    private var heel: Double?
    private var drawn: Int64?

    /// Nothing recorded yet.
    init(_ preferences: Preferences, on output: Output) {
        self.preferences = preferences
        self.output = output
    }

    /// Counts samples.
    mutating func add(_ samples: [Sample]) {
        for sample in samples {
            distance.add(sample)
            if sample.isPoint { pointCount += 1 }
            start = start ?? sample.time
            last = sample.time ?? last
            speed = sample[.speed] ?? speed
            heel = sample[.heel] ?? heel
        }
    }

    /// The line.
    var text: String {
        guard let start, let last else { return "waiting for the receiver" }
        let elapsed = Elapsed.text(milliseconds: last.milliseconds - start.milliseconds)
        var parts = [
            elapsed, pointCount.counted("point"), preferences.distance(distance.metres),
        ]
        if let speed { parts.append(preferences.text(.speed, speed)) }
        if let heel { parts.append("heel " + preferences.text(.heel, heel)) }
        return parts.joined(separator: "  ")
    }

    /// Draws the line, unless it was drawn a moment ago; `now` is the uptime in milliseconds.
    mutating func draw(at now: Int64) {
        guard output.isErrorTerminal, !output.isQuiet,
            drawn.map({ now - $0 >= Self.pauseMilliseconds }) ?? true
        else { return }
        drawn = now
        let line = text.shortened(to: (output.columns ?? 80) - 1)
        output.writeError(Array("\r\u{1B}[K\(line)".utf8))
    }

    /// Clears the line, so that something else can be said.
    mutating func clear() {
        guard drawn != nil else { return }
        drawn = nil
        output.writeError(Array("\r\u{1B}[K".utf8))
    }
}
