import SyncCore

extension Mark {
    /// A mark as JSON.
    var json: JSON {
        .object([
            ("time", .time(time)), ("text", .text(text)), ("alarm", .text(alarm?.kind)),
            ("cleared", .time(alarm?.cleared)),
            ("peak", .number(alarm?.peak, decimals: 2)),
            ("readings", alarm.map { .integer($0.readingCount) } ?? .null),
        ])
    }

    /// A mark as a line; an alarm with how it went.
    func line(_ preferences: Preferences, of track: Track) -> String {
        let head = "\(preferences.time(time, of: track.start))  \(text.withoutControls)"
        guard let alarm else { return head }
        let channel = Alarm.Kind(rawValue: alarm.kind).map { $0 == .speed ? Channel.speed : .heel }
        let peak = channel.map { preferences.text($0, alarm.peak) } ?? "\(alarm.peak)"
        let end = alarm.cleared.map {
            "for " + Elapsed.text(milliseconds: $0.milliseconds - time.milliseconds)
        }
        return head + " (alarm, \(end ?? "to the end"), \(peak) at the worst, "
            + alarm.readingCount.counted("reading") + ")"
    }
}
