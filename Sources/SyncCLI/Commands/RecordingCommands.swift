import ProgramKit
import SyncCore

/// What a person says to a recorder that runs, from anywhere else.
extension Commands {
    static let recordingPause = Command(
        "recording pause",
        summary: "pause the recording that goes on; its source is read and not kept"
    ) { _, context in
        try await set(.paused, "paused", context)
    }

    static let recordingResume = Command(
        "recording resume",
        summary: "go on with a recording that is paused, in a segment of its own"
    ) { _, context in
        try await set(.recording, "going on with", context)
    }

    static let recordingStop = Command(
        "recording stop",
        summary: "end the recording that goes on"
    ) { _, context in
        try await set(.stopped, "ended", context)
    }

    static let recordingMark = Command(
        "recording mark",
        "TEXT",
        summary: "put a note on the track of the recording, at this moment"
    ) { arguments, context in
        let (library, track) = try await current(context)
        let text = arguments.required("TEXT")
        guard !text.isEmpty, text.utf8.count <= Mark.textByteLimit else {
            throw UserError(.usage, "a note has 1 to \(Mark.textByteLimit) bytes of text")
        }
        var random = context.random
        let mark = Mark(text, at: moment(on: track, context.now()), id: .random(using: &random))
        try await library.replica.write([mark], on: track.id, in: library.space, at: context.now())
        context.output.result(
            .object([("track", .object(track.members)), ("mark", mark.json)])
        ) { "noted on \(track.label)\n" }
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

    private static func set(
        _ status: Track.Status,
        _ word: String,
        _ context: Context
    ) async throws -> ExitCode {
        let (library, track) = try await current(context)
        // What a recorder does is no edit that could be taken back.
        let edit = Edit(track.id, TrackField.status, .text(Text(status.rawValue)))
        try await library.replica.write([edit], in: library.space, at: context.now())
        let after = try await library.replica.track(track.id, in: library.space) ?? track
        context.output.result(.track(after)) { "\(word) \(after.label)\n" }
        return .success
    }

    /// The track that a recorder of this folder is at.
    private static func current(_ context: Context) async throws -> (Library, Track) {
        let library = try await context.library()
        guard let id = RecorderLock.track(in: library.folder),
            let track = try await library.replica.track(id, in: library.space)
        else {
            guard !RecorderLock.isTaken(in: library.folder) else {
                throw UserError(
                    .notFound,
                    "nothing was recorded yet: the recorder waits for its first fix",
                    hint: "Ctrl-C or SIGTERM ends the recorder itself"
                )
            }
            throw UserError(
                .notFound,
                "nothing is recorded here at the moment",
                hint: "'wake record' begins a recording"
            )
        }
        return (library, track)
    }
}
