import ProgramKit
import SyncCore

/// The status of a running recording: a live line on a terminal, otherwise one line per minute.
struct RecordingLine: Sendable {
    private static let pauseMilliseconds: Int64 = 250
    private static let pipePauseMilliseconds: Int64 = 60_000

    private let preferences: Preferences
    private let isHeard: Bool
    private let output: Output
    private(set) var pointCount = 0
    var isPaused = false
    private var totals: RunningTotals
    private var compass: Compass
    private var heading: Heading?
    private var start: UnixTime?
    private var last: UnixTime?
    private var latest = Sample()
    private var alarms: [String] = []
    private var drawn: Int64?
    private var isOnScreen = false

    /// The channels shown after distance and points, if the receiver sends them.
    private static let shown: [(channel: Channel, label: String)] = [
        (.speed, ""), (.heel, "heel "), (.pitch, "pitch "), (.heartRate, ""),
    ]
    /// Shorter stops are not shown.
    private static let notedSeconds = 10.0

    init(_ settings: [SettingState], _ rule: FixRule, _ sport: String?, _ output: Output) {
        totals = RunningTotals(rule, sport: SportKind(sport: sport))
        preferences = Preferences(settings)
        compass = Compass(preferences.north)
        func value(_ setting: Setting) -> Value? {
            settings.first { $0.setting.key == setting.key }?.value
        }
        isHeard = value(.alarmBell)?.bool == true
        self.output = output
    }

    mutating func add(_ samples: [Sample]) {
        for sample in samples {
            totals.add(sample)
            heading = compass.add(sample) ?? heading
            if sample.isPoint { pointCount += 1 }
            start = start ?? sample.time
            last = sample.time ?? last
            for (channel, _) in Self.shown {
                if let count = sample[count: channel] { latest[count: channel] = count }
            }
        }
    }

    /// Adds an active alarm.
    mutating func raise(_ message: String) { alarms.append(message) }

    /// Removes an alarm that ended.
    mutating func lower(_ message: String) { alarms.removeAll { $0 == message } }

    /// The bell character if the user wants audible alarms and has a terminal, otherwise empty.
    var bell: String { isHeard && output.isErrorTerminal ? "\u{7}" : "" }

    /// Describes an alarm with its duration, peak and readings.
    func words(for episode: AlarmEpisode) -> String {
        let end = episode.cleared ?? last ?? episode.raised
        let elapsed = Elapsed.text(milliseconds: end.milliseconds - episode.raised.milliseconds)
        let peak = preferences.text(episode.alarm.channel, episode.peak)
        return "lasted \(elapsed), worst \(peak), "
            + episode.readingCount.counted("reading")
    }

    var text: String {
        guard let start, let last else { return "waiting for the receiver" }
        let elapsed = Elapsed.text(milliseconds: last.milliseconds - start.milliseconds)
        let totals = totals.totals
        var parts = [elapsed, pointCount.counted("point"), preferences.distance(totals.metres)]
        if totals.elapsedSeconds - totals.movingSeconds >= Self.notedSeconds {
            parts.append("moving \(Elapsed.text(seconds: totals.movingSeconds))")
        }
        if let heading { parts.append("heading \(preferences.text(heading))") }
        return (parts + readings + (isPaused ? ["paused"] : []) + alarms.map { "! \($0)" })
            .joined(separator: "  ")
    }

    private var readings: [String] {
        Self.shown.compactMap { channel, label in
            guard let value = latest[channel] else { return nil }
            let rate = channel == .heartRate ? latest[count: channel] : nil
            return label + preferences.text(channel, value) + (rate.map(zone) ?? "")
        }
    }

    private func zone(of rate: Int64) -> String {
        guard !preferences.zones.isEmpty else { return "" }
        let zone = HeartRateTimes.zone(of: rate, bottoms: preferences.zones)
        return zone == 0 ? " warm up" : " zone \(zone)"
    }

    /// Draws the line unless it was drawn recently; `now` is the uptime in milliseconds.
    mutating func draw(at now: Int64) {
        guard !output.isQuiet else { return }
        let pause = output.isErrorTerminal ? Self.pauseMilliseconds : Self.pipePauseMilliseconds
        let since = drawn ?? (output.isErrorTerminal ? now - pause : now)
        if drawn == nil { drawn = since }
        guard now - since >= pause else { return }
        drawn = now
        guard output.isErrorTerminal else { return output.note(text) }
        isOnScreen = true
        output.draw(text)
    }

    /// Clears the line, so that a message can be printed.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        output.clearDrawnLine()
    }
}
