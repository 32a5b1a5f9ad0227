import ProgramKit
import SyncCore

enum TracksSplitCommand {
    static let command = Command(
        "tracks split",
        "ID",
        summary: "split a track at times or at recording gaps",
        options: [
            Option("--at TIME", "begin a new track at this time; repeatable"),
            Option("--gap MINUTES", "split wherever nothing was recorded for this long"),
        ],
        details: """
            The new tracks replace the old one in lists; it is kept, but not shown.
            'wake undo' shows it again. So does 'wake undo ID supersededBy' with the ID of
            the old track, on any device. If another split or join applied before this one,
            it applies again instead. Samples that arrive later for the end of the old track
            belong to the last new one. For the notation of TIME, see
            'wake help tracks trim'.
            """
    ) { arguments, context in
        let edit = try await TrackEditing(arguments, context)
        let cuts = try await cuts(of: edit, arguments)
        do {
            let split = try await edit.library.replica.read {
                try $0.editing.split(
                    edit.track.id,
                    before: cuts,
                    // The distance across a gap was not recorded and must not count.
                    endsWays: arguments.option("--gap") != nil,
                    in: edit.library.space
                )
            }
            return try await edit.finish(
                split.edits,
                as: "split of \(edit.track.label)",
                tracks: split.tracks
            ) { "split \($0.label) into \(split.tracks.count.counted("track"))" }
        } catch TrackEditError.tooManyParts {
            throw UserError.failure(
                "cannot split \(edit.track.label) into more than \(TrackEdits.partLimit) tracks"
            )
        } catch TrackEditError.emptyPart {
            throw UserError.failure(
                "cannot split \(edit.track.label) there: one part would be empty"
            )
        }
    }

    private static func cuts(
        of edit: TrackEditing,
        _ arguments: Arguments
    ) async throws -> [SampleName] {
        let texts = arguments.options["--at"] ?? []
        let minutes = try arguments.integer("--gap", in: 1...100_000)
        guard texts.isEmpty == (minutes != nil) else {
            throw UserError.usage("no time or gap to split at was given", hint: "use --at or --gap")
        }
        let index = SampleIndex(of: edit.track, in: edit.library)
        if let minutes {
            let cuts = try await index.points(afterGapsOf: Int64(minutes) * 60_000)
            guard !cuts.isEmpty else {
                throw edit.nothing("after a gap of \(minutes.counted("minute"))")
            }
            return cuts
        }
        let time = try TrackTime(of: edit.track)
        let times = try texts.map { (text: $0, instant: try time($0)) }
        var cuts: [SampleName] = []
        for (text, instant) in times.sorted(by: { $0.instant < $1.instant }) {
            guard let cut = try await index.firstPoint(from: instant) else {
                throw edit.nothing("after \(text)")
            }
            cuts.append(cut)
        }
        return cuts
    }
}
