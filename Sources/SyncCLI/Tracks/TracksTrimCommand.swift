import ProgramKit
import SyncCore

enum TracksTrimCommand {
    static let command = Command(
        "tracks trim",
        "ID",
        summary: "trim the start and the end of a track",
        options: [
            Option("--from TIME", "the first moment to keep"),
            Option("--to TIME", "the last moment to keep"),
        ],
        details: """
            A TIME is 10:15 or 10:15:30 in the local time of the track, +5:00 or +1:05:00
            since its start, or an instant such as 2026-05-01T10:15:00Z. You can extend a
            trimmed track again, up to all that was recorded. Nothing is deleted:
            'wake undo' undoes the trim. So does 'wake undo ID trim/start' or
            'wake undo ID trim/end', on any device and at any time.
            """
    ) { arguments, context in
        let edit = try await TrackEditing(arguments, context)
        let given = (from: arguments.option("--from"), to: arguments.option("--to"))
        guard (given.from ?? given.to) != nil else {
            throw UserError.usage("no time to trim to was given", hint: "use --from, --to or both")
        }
        let range = try await range(from: given.from, to: given.to, of: edit)
        guard range.end == nil || edit.track.status != .recording else {
            throw UserError.failure(
                "cannot trim the end of \(edit.track.label): it is being recorded",
                hint: "'wake recording stop' ends the recording"
            )
        }
        let edits = Edit.trim(edit.track.id, to: range)
        let kept = given.from == nil ? range.start : given.to == nil ? range.end : nil
        try await edit.checkRest(
            after: edits,
            hint: kept.map { _ in "its other end was trimmed before: use --from and --to" }
        )
        // Only the given ends, so that a trim of the other one by another device survives.
        let asked = edits.filter {
            ($0.key.field == TrackEdits.trimStart ? given.from : given.to) != nil
        }
        return try await edit.finish(asked, as: "trim of \(edit.track.label)") { track in
            "trimmed \(track.label)"
        }
    }

    /// Returns the range to keep.
    ///
    /// An omitted end stays as it is. A given end is looked up in all recorded samples, so that it
    /// can also undo part of an earlier trim.
    private static func range(
        from: String?,
        to: String?,
        of edit: TrackEditing
    ) async throws -> SampleRange {
        let track = edit.track
        let present = try await edit.library.edits(of: track).trim
        let whole = SampleIndex(
            of: track,
            after: Edit.trim(track.id, to: SampleRange()),
            in: edit.library
        )
        let times = try await whole.times()
        let time = try TrackTime(of: track, recorded: times)
        var (start, end) = (present.start, present.end)
        if let from {
            guard let first = try await whole.first(from: time(from)) else {
                throw edit.nothing("after \(from)", of: times)
            }
            start = try await first == whole.start() ? nil : first
        }
        if let to {
            let last = try time(to)
            guard try await whole.begins(before: last) else {
                throw edit.nothing("before \(to)", of: times)
            }
            end = try await whole.first(after: last)
        }
        return SampleRange(from: start, to: end)
    }
}
