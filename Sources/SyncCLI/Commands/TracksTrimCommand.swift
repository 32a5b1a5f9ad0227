import SyncCore

extension Commands {
    static let tracksTrim = Command(
        "tracks trim",
        "ID",
        summary: "leave out what a track has before one time and after another",
        options: [
            Option("--from TIME", "the first moment that is kept"),
            Option("--to TIME", "the last moment that is kept"),
        ],
        details: """
            A TIME is 10:15 or 10:15:30 on the track's clocks, +5:00 or +1:05:00 since its start, or an
            instant such as 2026-05-01T10:15:00Z. Nothing is deleted: 'wake undo' brings it back, and so
            does 'wake undo ID trim/start' or 'trim/end', on any device and at any time.
            """
    ) { arguments, context in
        let edit = try await TrackEditing(arguments, context)
        let time = try TrackTime(of: edit.track)
        let index = SampleIndex(of: edit.track, in: edit.library)
        guard (arguments.option("--from") ?? arguments.option("--to")) != nil else {
            throw Complaint(
                .usage,
                "it is not clear what to keep",
                hint: "give --from, --to or both"
            )
        }
        var (start, end): (SampleName?, SampleName?)
        if let text = arguments.option("--from") {
            guard let first = try await index.first(from: time(text)) else {
                throw edit.nothing("after \(text)")
            }
            start = first
        }
        if let text = arguments.option("--to") {
            let last = try time(text)
            guard try await index.begins(before: last) else { throw edit.nothing("before \(text)") }
            end = try await index.first(after: last)
        }
        guard end == nil || edit.track.status != .recording else {
            throw Complaint(
                .failure,
                "cannot cut the end of \(edit.track.label): it is being recorded",
                hint: "'wake recording stop' ends that"
            )
        }
        let edits = Edit.trim(edit.track.id, to: SampleRange(from: start, to: end))
        try await edit.check(edits)
        return try await edit.finish(edits, as: "trim of \(edit.track.label)") { track in
            "trimmed \(track.label)"
        }
    }
}
