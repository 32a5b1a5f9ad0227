import ProgramKit
import SyncCore

enum TracksMoveCommand {
    static let command = Command(
        "tracks move",
        "ID...",
        summary: "move tracks to another space",
        options: TrackTransfer.options,
        details: """
            Copies the tracks as 'wake tracks copy' does, and syncs. A track goes to the
            trash here only after the server has accepted its copy. If that has not
            happened, run the command again.
            """
    ) { arguments, context in
        let transfer = try await TrackTransfer(arguments, context)
        let tracks = try await transfer.tracks(arguments)
        try await transfer.source.check(
            tracks.map { Edit($0.id, FieldSchema.deleted.name, .bool(true)) }
        )
        var copies: [TrackCopy] = []
        for track in tracks {
            let copy = try await transfer.copy(track)
            guard !copy.row.isDeleted else { throw UserError.failure(copy.words) }
            copies.append(copy)
        }
        let error = try await SyncCommand.exchange(transfer.target, context).userError
        var moved: [TrackCopy] = []
        for copy in copies where try await transfer.finish(copy) { moved.append(copy) }
        context.output.result(.object([("tracks", .array(moved.map(\.json)))])) {
            moved.map {
                "moved \($0.source.label) to \(transfer.targetName) as \($0.row.track.short)\n"
            }
            .joined()
        }
        if !moved.isEmpty {
            let what = moved.count == 1 ? "it" : "them"
            context.output.note(
                "the next sync moves \(what) to the trash on your other devices, too"
            )
        }
        guard moved.count < copies.count else { return .success }
        throw unfinished(copies.count - moved.count, transfer, error)
    }

    private static func unfinished(
        _ count: Int,
        _ transfer: TrackTransfer,
        _ error: UserError?
    ) -> UserError {
        UserError(
            error?.code ?? .attention,
            "the server has not accepted \(count.counted("copy", "copies")) in \(transfer.targetName), so "
                + "\(count == 1 ? "that track stays" : "those tracks stay") here, too"
                + (error.map { ": \($0.message)" } ?? ""),
            hint: "run the command again after 'wake sync'; 'wake refused' lists what was refused"
        )
    }
}

extension TrackTransfer {
    /// Moves the source of an accepted copy to the trash; returns false if the server has not accepted a
    /// copy of all that the source shows now.
    fileprivate func finish(_ copy: TrackCopy) async throws -> Bool {
        guard try await isAccepted(copy.source) else { return false }
        _ = try await source.write(
            FieldSchema.deleted.name,
            .bool(true),
            to: try await source.trackRow(copy.source.id.description),
            as: "move of \(copy.source.label) to \(targetName)",
            at: context.moment()
        )
        return true
    }
}
