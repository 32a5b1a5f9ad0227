import ProgramKit
import SyncCore

enum TracksJoinCommand {
    static let command = Command(
        "tracks join",
        "ID...",
        summary: "make one track of several, in the order of their times",
        details: """
            The new track stands in the place of the others, which are kept under it; 'wake undo', or
            'wake undo ID supersededBy' of one of them on any device, brings them back. What lies
            between two counts for no distance.
            """
    ) { arguments, context in
        let library = try await context.library()
        var tracks: [Track] = []
        for word in arguments.list("ID") { tracks.append(try await library.shownTrack(word)) }
        guard (2...TrackEdits.partLimit).contains(tracks.count),
            Set(tracks.map(\.id)).count == tracks.count
        else {
            throw UserError(
                .usage,
                "a join needs two or more different tracks",
                hint: "\(TrackEdits.partLimit) at most"
            )
        }
        tracks.sort {
            ($0.start?.time.milliseconds ?? .max) < ($1.start?.time.milliseconds ?? .max)
        }
        for (one, next) in zip(tracks, tracks.dropFirst()) {
            guard let end = one.finish, let start = next.start?.time, start < end else { continue }
            throw UserError(
                .failure,
                "cannot join \(one.label) and \(next.label): their times overlap",
                hint: "shorten one of them with 'wake tracks trim' first"
            )
        }
        let edit = TrackEditing(track: tracks[0], library: library, context: context)
        let join = try await library.replica.read { [ids = tracks.map(\.id)] in
            try $0.editing.join(ids, in: library.space)
        }
        let words = tracks.map(\.label).joined(separator: ", ")
        return try await edit.finish(join.edits, as: "join of \(words)", tracks: [join.track]) {
            _ in
            "joined \(tracks.count.counted("track"))"
        }
    }
}
