import ProgramKit
import SyncCore

/// The recording that another process makes into this data folder.
enum RunningRecording {
    /// Writes a status, which the recorder obeys, and reports the track.
    static func setStatus(
        _ status: Track.Status,
        _ word: String,
        _ context: Context
    ) async throws -> ExitCode {
        let (library, track) = try await current(context)
        // The status is not an edit by the user, so it must not be undoable.
        let edit = Edit(track.id, TrackField.status, .text(Text(status.rawValue)))
        try await library.replica.write {
            try $0.rows.write([edit], in: library.space, at: context.moment())
        }
        let after = try await library.stored(track.id) ?? track
        context.output.result(.track(after)) { "\(word) \(after.label)\n" }
        return .success
    }

    /// Returns the track that a recorder of this folder records, and the library of its space.
    static func current(_ context: Context) async throws -> (Library, Track) {
        let library = try await context.library()
        guard let id = RecorderLock.track(in: library.folder),
            let found = try await library.holding(id), let track = try await found.stored(id)
        else {
            guard !RecorderLock.isTaken(in: library.folder) else {
                throw UserError.notFound(
                    "nothing was recorded yet: the recorder waits for its first fix",
                    hint: "Ctrl-C or SIGTERM stops the recorder itself"
                )
            }
            let unfinished = try await library.replica.read {
                try $0.recordings.unfinishedTracks(in: library.space)
            }
            throw UserError.notFound(
                "no recording is running on this device",
                hint: unfinished.isEmpty
                    ? "'wake record' starts a recording"
                    : "one was interrupted: 'wake record --resume' continues it"
            )
        }
        return (found, track)
    }
}
