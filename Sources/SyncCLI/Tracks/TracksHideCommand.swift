import ProgramKit
import SyncCore

enum TracksHideCommand {
    static let command = Command(
        "tracks hide",
        "ID",
        summary: "hide a part of a track, or single wrong fixes",
        options: [
            Option("--from TIME", "the first moment to hide"),
            Option("--to TIME", "the last moment to hide"),
            Option("--at TIME", "hide the fix nearest to this time; repeatable"),
            Option("--flagged", "hide all fixes that are flagged as wrong"),
        ],
        details: """
            A hidden part leaves a gap in the track, which adds no distance. Across hidden
            single fixes, the track connects the fixes before and after them. For the
            notation of TIME, see 'wake help tracks trim'. Nothing is deleted: 'wake undo'
            shows it again.
            """
    ) { arguments, context in
        let edit = try await TrackEditing(arguments, context)
        let (ranges, isBridged) = try await ranges(of: edit, arguments)
        let edits = try await edit.library.replica.read {
            $0.editing.hide(ranges, of: edit.track.id, isBridged: isBridged)
        }
        try await edit.check(edits)
        let what = isBridged ? ranges.count.counted("fix", "fixes") : "a part"
        return try await edit.finish(edits, as: "hiding \(what) of \(edit.track.label)") {
            "hid \(what) of \($0.label)"
        }
    }

    private static func ranges(
        of edit: TrackEditing,
        _ arguments: Arguments
    ) async throws -> (ranges: [SampleRange], isBridged: Bool) {
        let given = (arguments.option("--from"), arguments.option("--to"))
        let points = arguments.options["--at"] ?? []
        let ways = [given.0 != nil || given.1 != nil, !points.isEmpty, arguments.flag("--flagged")]
        guard ways.count(where: { $0 }) == 1 else {
            throw UserError.usage(
                "no part or fix to hide was given",
                hint: "use --from and --to, or --at, or --flagged"
            )
        }
        if arguments.flag("--flagged") { return (try await edit.flagged(), true) }
        guard points.isEmpty else { return (try await fixes(at: points, of: edit), true) }
        guard let from = given.0, let to = given.1 else {
            throw UserError.usage(
                "--from and --to must be used together",
                hint: "give both; to leave out all before or after a time, "
                    + "use 'wake tracks trim'"
            )
        }
        return ([try await part(from: from, to: to, of: edit)], false)
    }

    /// Returns the fixes nearest to the given times.
    private static func fixes(
        at texts: [String],
        of edit: TrackEditing
    ) async throws -> [SampleRange] {
        let time = try TrackTime(of: edit.track)
        let index = SampleIndex(of: edit.track, in: edit.library)
        var found: [SampleRange] = []
        for text in texts {
            guard let point = try await index.point(at: time(text)) else {
                throw edit.nothing("with a position and a time")
            }
            found.append(point)
        }
        return found
    }

    private static func part(
        from: String,
        to: String,
        of edit: TrackEditing
    ) async throws -> SampleRange {
        let time = try TrackTime(of: edit.track)
        let index = SampleIndex(of: edit.track, in: edit.library)
        let times = (try time(from), try time(to))
        guard times.0 <= times.1, let range = try await index.range(times.0...times.1) else {
            throw edit.nothing("from \(from) to \(to)")
        }
        // Samples appended later must stay visible.
        var end = range.end
        if end == nil { end = try await index.end() }
        return SampleRange(from: range.start, to: end)
    }
}
