import SyncCore

extension Commands {
    static let trash = Command(
        "trash",
        summary: "list deleted tracks, and what was edited after the deletion"
    ) { _, context in
        let library = try await context.library()
        let tracks = try await library.replica.tracks(in: library.space, deleted: true)
        var lines: [TrashLine] = []
        for track in tracks {
            let cells = try await library.replica.cells(
                TrackField.collection,
                .id(track.id),
                in: library.space
            )
            lines.append(TrashLine(track: track, cells: cells))
        }
        let words = try await ChangeWords(of: lines.flatMap(\.laterChanges), in: library)
        let preferences = try await library.preferences()
        let output = context.output
        if output.isJSON {
            output.json(.object([("tracks", .array(lines.map(\.json)))]))
        } else if lines.isEmpty {
            output.note("the trash is empty")
        } else {
            output.table(table(of: lines, words, preferences))
            output.note("'wake tracks restore ID' takes one back")
        }
        return .success
    }

    private static func table(
        of lines: [TrashLine],
        _ words: ChangeWords,
        _ preferences: Preferences
    ) -> Table {
        let ids = IDPrefix.short(lines.map(\.track.id))
        return Table(
            columns: [
                .whole("id"), .whole("deleted (UTC)"), .left("name"), .right("distance"),
                .left("edited since"),
            ],
            rows: zip(ids, lines).map { id, line in
                [
                    id, preferences.time(line.deleted), line.track.title,
                    preferences.distance(line.track.knownDistanceMetres),
                    line.laterChanges.map { "\($0.key.shortField): \(words.text($0))" }
                        .joined(separator: "; "),
                ]
            }
        )
    }
}

/// A track in the trash.
private struct TrashLine {
    let track: Track
    /// When it was deleted.
    let deleted: UnixTime?
    /// What someone wrote after the deletion; it is kept underneath.
    let laterChanges: [Change]

    init(track: Track, cells: [Text: Cell]) {
        self.track = track
        let deletion = cells[TrackField.deleted]?.stamp
        deleted = deletion?.wall
        laterChanges = cells.filter { field, cell in
            field != TrackField.deleted && deletion.map { cell.stamp > $0 } == true
        }
        .map { Change(key: Key(TrackField.collection, .id(track.id), $0), cell: $1) }
        .sorted { $0.key < $1.key }
    }

    var json: JSON {
        .object(
            track.members + [
                ("deleted", .time(deleted)),
                ("editedSince", .array(laterChanges.map { .text($0.key.field.string) })),
            ]
        )
    }
}
