import ProgramKit
import SyncCore

enum RecordingMarkCommand {
    static let command = Command(
        "recording mark",
        "TEXT",
        summary: "add a note to the recording at this moment"
    ) { arguments, context in
        let (library, track) = try await RunningRecording.current(context)
        let text = arguments.required("TEXT")
        guard !text.isEmpty, text.utf8.count <= Mark.textByteLimit else {
            throw UserError.usage("a note has 1 to \(Mark.textByteLimit) bytes of text")
        }
        var random = context.random
        let mark = Mark(text, at: moment(on: track, context.now()), id: .random(using: &random))
        try await library.replica.write {
            try $0.marks.write([mark], on: track.id, in: library.space, at: context.moment())
        }
        context.output.result(
            .object([("track", .object(track.members)), ("mark", mark.json)])
        ) { "added a note to \(track.label)\n" }
        return .success
    }

    /// Returns the time of a mark set now on a track being recorded.
    ///
    /// Samples carry the receiver's time. If the machine's clock is off by more than an hour, its
    /// time could lie outside the track, so the last sample's time is used. The same applies after
    /// a pause of more than an hour.
    private static func moment(on track: Track, _ now: UnixTime) -> UnixTime {
        guard let last = track.finish else { return now }
        return last.distanceMilliseconds(to: now) > toleranceMilliseconds ? last : now
    }

    private static let toleranceMilliseconds: UInt64 = 3_600_000
}
