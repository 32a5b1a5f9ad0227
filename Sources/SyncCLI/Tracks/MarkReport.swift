import ProgramKit
import SyncCore

/// The marks of a track, of which edits may have left some out.
struct MarkReport: Sendable {
    /// All of them.
    let marks: [Mark]
    /// The fields of those where the track shows nothing.
    let leftOut: Set<Text>

    /// Those that are within what the track shows.
    var shown: [Mark] { marks.filter { !leftOut.contains($0.field) } }

    /// Why some are in no picture; nil where all are.
    var words: String? {
        guard !leftOut.isEmpty else { return nil }
        return "\(leftOut.count.counted("mark")) not drawn: their part of the track is not shown"
    }

    /// A line for each.
    func show(on output: Output, _ preferences: Preferences, of track: Track) {
        if !marks.isEmpty { output.line() }
        for mark in marks {
            let end = leftOut.contains(mark.field) ? "; its part of the track is not shown" : ""
            output.line(mark.line(preferences, of: track) + end)
        }
    }

    /// The same for programs.
    var json: JSON {
        .array(
            marks.map {
                .object($0.members + [("isShown", .bool(!leftOut.contains($0.field)))])
            }
        )
    }
}

extension Library {
    /// The marks of a track.
    func marks(of track: Track) async throws -> MarkReport {
        let marks = try await replica.read { try $0.marks.all(of: track.id, in: space) }
        let leftOut = try await replica.read {
            try $0.marks.leftOut(marks, of: track.id, in: space)
        }
        return MarkReport(marks: marks, leftOut: leftOut)
    }
}

extension Mark {
    /// A mark as JSON.
    var json: JSON { .object(members) }

    fileprivate var members: [(String, JSON)] {
        [
            ("time", .time(time)), ("text", .text(text)), ("alarm", .text(alarm?.kind)),
            ("cleared", .time(alarm?.cleared)),
            ("peak", .number(alarm?.peak, decimals: 2)),
            ("readings", alarm.map { .integer($0.readingCount) } ?? .null),
        ]
    }

    /// A mark as a line; an alarm with how it went.
    fileprivate func line(_ preferences: Preferences, of track: Track) -> String {
        let head = "\(preferences.time(time, of: track.start))  \(text.withoutControls)"
        guard let alarm else { return head }
        let channel = Alarm.Kind(rawValue: alarm.kind).map { $0 == .speed ? Channel.speed : .heel }
        let peak = channel.map { preferences.text($0, alarm.peak) } ?? "\(alarm.peak)"
        let end = alarm.cleared.map {
            "for " + Elapsed.text(milliseconds: $0.milliseconds - time.milliseconds)
        }
        return head + " (alarm, \(end ?? "to the end"), worst \(peak), "
            + alarm.readingCount.counted("reading") + ")"
    }
}
