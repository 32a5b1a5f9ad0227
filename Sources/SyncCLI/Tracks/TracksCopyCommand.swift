import ProgramKit
import SyncCore

enum TracksCopyCommand {
    static let command = Command(
        "tracks copy",
        "ID...",
        summary: "copy tracks to another space",
        options: TrackTransfer.options,
        details: """
            '--space NAME' names the space that gets the tracks; without it, your own space
            gets them. The copy has what the track shows, with its marks, name, sport,
            notes, colour, gear, tags, time zone and device. Of a track without edits it
            also has the device's laps and totals. It names the id of the track and of its
            space. What you trimmed or hid stays behind, and so do older versions. Later
            edits of one do not change the other. Copying a track again adds only what the
            copy lacks.
            """
    ) { arguments, context in
        let transfer = try await TrackTransfer(arguments, context)
        var copies: [TrackCopy] = []
        for track in try await transfer.tracks(arguments) {
            copies.append(try await transfer.copy(track))
        }
        context.output.result(.object([("tracks", .array(copies.map(\.json)))])) {
            copies.map { $0.words + "\n" }.joined()
        }
        if copies.contains(where: \.row.isNew) {
            let what = copies.count == 1 ? "it" : "them"
            context.output.note("'wake sync' sends \(what) to \(transfer.receivers)")
        }
        return .success
    }
}
