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
        let preferences = try await library.preferences()
        let output = context.output
        if output.isJSON {
            output.json(.object([("tracks", .array(lines.map(\.json)))]))
        } else if lines.isEmpty {
            output.note("the trash is empty")
        } else {
            output.table(table(of: lines, preferences))
            output.note("'wake tracks restore ID' takes one back")
        }
        return .success
    }

    private static func table(of lines: [TrashLine], _ preferences: Preferences) -> Table {
        let ids = IDPrefix.short(lines.map(\.track.id))
        return Table(
            columns: [
                .left("id"), .left("deleted (UTC)"), .left("name"), .right("distance"),
                .left("edited since"),
            ],
            rows: zip(ids, lines).map { id, line in
                [
                    id, preferences.time(line.deleted), line.track.title,
                    preferences.distance(line.track.knownDistanceMetres),
                    line.laterFields.joined(separator: ", "),
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
    /// Fields that someone wrote after the deletion; they are kept underneath.
    let laterFields: [String]

    init(track: Track, cells: [Text: Cell]) {
        self.track = track
        let deletion = cells[TrackField.deleted]?.stamp
        deleted = deletion?.wall
        laterFields = cells.filter { field, cell in
            field != TrackField.deleted && deletion.map { cell.stamp > $0 } == true
        }
        .keys.sorted().map(\.string)
    }

    var json: JSON {
        .object(
            track.members + [
                ("deleted", .time(deleted)),
                ("editedSince", .array(laterFields.map { .text($0) })),
            ]
        )
    }
}
