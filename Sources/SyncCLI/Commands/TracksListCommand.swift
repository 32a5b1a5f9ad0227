import SyncCore

extension Commands {
    static let tracksList = Command(
        "tracks list",
        summary: "list the tracks, the latest first"
    ) { _, context in
        let library = try await context.library()
        let tracks = try await library.replica.tracks(in: library.space)
        let preferences = try await library.preferences()
        let output = context.output
        if output.isJSON {
            output.json(.object([("tracks", .array(tracks.map { .object($0.members) }))]))
        } else if tracks.isEmpty {
            output.note("no tracks yet: 'wake record' and 'wake import' bring some")
        } else {
            output.table(table(of: tracks, preferences, isNarrow: (output.columns ?? 80) < 80))
        }
        return .success
    }

    private static func table(
        of tracks: [Track],
        _ preferences: Preferences,
        isNarrow: Bool
    ) -> Table {
        let ids = IDPrefix.short(tracks.map(\.id))
        let rows = zip(ids, tracks).map { id, track -> [String] in
            let distance = preferences.distance(track.knownDistanceMetres)
            guard !isNarrow else {
                return [id, track.start?.day ?? "–", track.titleAndStatus, distance]
            }
            return [
                id, preferences.time(track.start?.time, of: track.start), track.titleAndStatus,
                track.sport ?? "", track.elapsed, distance,
                track.missingChunkCount > 0 ? "–" : String(track.pointCount),
            ]
        }
        return Table(columns: isNarrow ? narrow : wide, rows: rows)
    }

    private static let narrow: [Table.Column] = [
        .left("id"), .left("date"), .left("name"), .right("distance"),
    ]

    private static let wide: [Table.Column] = [
        .left("id"), .whole("start"), .left("name"), .left("sport"), .right("time"),
        .right("distance"), .right("points"),
    ]
}
