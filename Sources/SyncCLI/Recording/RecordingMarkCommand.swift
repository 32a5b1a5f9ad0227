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
            throw UserError(.usage, "a note has 1 to \(Mark.textByteLimit) bytes of text")
        }
        var random = context.random
        let mark = Mark(text, at: moment(on: track, context.now()), id: .random(using: &random))
        try await library.replica.write {
            try $0.marks.write([mark], on: track.id, in: library.space, at: context.now())
        }
        context.output.result(
            .object([("track", .object(track.members)), ("mark", mark.json)])
        ) { "added a note to \(track.label)\n" }
        return .success
    }

    /// When a mark of now is on a track that is recorded.
    ///
    /// The samples have the receiver's time. A machine whose clock is hours or years off would put
    /// the mark where the track never was; after so long a pause, too, the last sample is nearest.
    private static func moment(on track: Track, _ now: UnixTime) -> UnixTime {
        guard let last = track.finish else { return now }
        return (last...last).distanceMilliseconds(to: now) > toleranceMilliseconds ? last : now
    }

    private static let toleranceMilliseconds: UInt64 = 3_600_000
}
