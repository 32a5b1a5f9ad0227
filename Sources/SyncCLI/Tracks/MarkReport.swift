import ProgramKit
import SyncCore

/// The marks of a track, including those in parts that edits left out.
struct MarkReport: Sendable {
    let marks: [Mark]
    /// The fields of the marks in parts that are not shown.
    let leftOut: Set<Text>

    /// The marks in parts that are shown.
    var shown: [Mark] { marks.filter { !leftOut.contains($0.field) } }

    /// The reason why some marks are not drawn, or nil if all are.
    var words: String? {
        guard !leftOut.isEmpty else { return nil }
        return "\(leftOut.count.counted("mark")) not drawn: their part of the track is not shown"
    }

    /// Prints one line per mark.
    func show(on output: Output, _ preferences: Preferences, of track: Track) {
        if !marks.isEmpty { output.line() }
        for mark in marks {
            let end = leftOut.contains(mark.field) ? "; its part of the track is not shown" : ""
            output.line(mark.line(preferences, of: track) + end)
        }
    }

    var json: JSON {
        .array(
            marks.map {
                .object($0.members + [("isShown", .bool(!leftOut.contains($0.field)))])
            }
        )
    }
}

extension Library {
    func marks(of track: Track) async throws -> MarkReport {
        let marks = try await replica.read { try $0.marks.all(of: track.id, in: space) }
        let leftOut = try await replica.read {
            try $0.marks.leftOut(marks, of: track.id, in: space)
        }
        return MarkReport(marks: marks, leftOut: leftOut)
    }
}

extension Mark {
    var json: JSON { .object(members) }

    fileprivate var members: [(String, JSON)] {
        [
            ("time", .time(time)), ("text", .text(text)), ("alarm", .text(alarm?.kind)),
            ("cleared", .time(alarm?.cleared)),
            ("peak", .number(alarm?.peak, decimals: 2)),
            ("readings", alarm.map { .integer($0.readingCount) } ?? .null),
        ]
    }

    /// Returns the mark as a line; for an alarm with its duration, peak and readings.
    fileprivate func line(_ preferences: Preferences, of track: Track) -> String {
        let head = "\(preferences.time(time, of: track.start))  \(text.withoutControls)"
        guard let alarm else { return head }
        let channel = Alarm.Kind(rawValue: alarm.kind).map { $0 == .speed ? Channel.speed : .heel }
        let peak = channel.map { preferences.text($0, alarm.peak) } ?? "\(alarm.peak)"
        let end = alarm.cleared.map {
            "for " + ($0.milliseconds(since: time).map(Elapsed.text) ?? "–")
        }
        return head + " (alarm, \(end ?? "to the end"), worst \(peak), "
            + alarm.readingCount.counted("reading") + ")"
    }
}
