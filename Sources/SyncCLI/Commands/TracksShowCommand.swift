import SyncCore

extension Commands {
    static let tracksShow = Command(
        "tracks show",
        "ID",
        summary: "show a track: its summary, its channels, and pictures of it",
        options: PictureOptions.all,
        details: PictureOptions.details
    ) { arguments, context in
        let library = try await context.library()
        let track = try await library.track(arguments.required("ID"))
        let samples = try await library.replica.samples(of: track.id, in: library.space)
        let cells = try await library.replica.cells(
            TrackField.collection,
            .id(track.id),
            in: library.space
        )
        let flags = FixFlags(of: samples, by: TrackField.rule(cells))
        let preferences = try await library.preferences()
        let marks = try await library.replica.marks(of: track.id, in: library.space)
        let picture = TrackPicture(
            of: track,
            samples: flags.believed,
            marks: marks,
            against: try Abscissa(arguments),
            preferences
        )
        if try PictureFiles(arguments).write(picture, context) { return .success }
        let page = TrackPage(
            track: track,
            flags: flags,
            edits: EditReport(edits: TrackEdits(cells), standing: track.standing),
            picture: picture,
            texts: cells.compactMapValues { $0.value.text },
            source: TrackSource(
                cells,
                try await library.replica.original(of: track.id, in: library.space)
            ),
            statistics: ChannelStatistics.all(in: samples),
            marks: marks,
            preferences: preferences
        )
        if context.output.isJSON {
            context.output.json(.object([("track", .object(page.members))]))
        } else {
            page.show(on: context.output)
        }
        return .success
    }
}

/// All that `tracks show` tells.
private struct TrackPage {
    let track: Track
    let flags: FixFlags
    let edits: EditReport
    let picture: TrackPicture
    let texts: [Text: String]
    let source: TrackSource
    let statistics: [ChannelStatistics]
    let marks: [Mark]
    let preferences: Preferences

    func show(on output: Output) {
        output.line(output.styled(track.titleAndStatus, .bold))
        output.fields(summary)
        if !statistics.isEmpty {
            output.line()
            output.table(table)
        }
        if !marks.isEmpty { output.line() }
        for mark in marks { output.line(mark.line(preferences, of: track)) }
        output.text(picture.text(columns: output.columns))
        picture.note(on: output)
    }

    private var summary: [(label: String, value: String)] {
        var fields = [
            ("id", track.id.description),
            ("sport", track.sport ?? "–"),
            ("start", preferences.text(track.start)),
            ("finish", preferences.time(track.finish, of: track.start)),
            ("duration", track.elapsed),
            ("distance", preferences.distance(track.knownDistanceMetres)),
            ("points", "\(points) of \(track.sampleCount.counted("sample"))"),
        ]
        if let words = flags.words { fields.append(("flagged", words)) }
        if track.missingChunkCount > 0 {
            let chunks = track.missingChunkCount.counted("chunk")
            fields.append(("missing", "\(chunks); 'wake sync' brings what is not here"))
        }
        for field in [TrackField.notes, TrackField.colour, TrackField.gear] {
            if let text = texts[field] { fields.append((field.string, text)) }
        }
        fields += source.fields(preferences) + edits.fields
        if track.isDeleted { fields.append(("trash", "deleted; 'wake tracks restore' undoes it")) }
        return fields
    }

    private var points: String {
        track.missingChunkCount > 0 ? "–" : String(track.pointCount)
    }

    private var table: Table {
        Table(
            columns: [
                .left("channel"), .right("readings"), .right("least"), .right("mean"),
                .right("greatest"),
            ],
            rows: statistics.map { row in
                func text(_ value: Double?) -> String {
                    value.map { preferences.text(row.channel, $0) } ?? "–"
                }
                return [
                    row.channel.description, String(row.count), text(row.range?.lowerBound),
                    text(row.mean), text(row.range?.upperBound),
                ]
            }
        )
    }

    var members: [(String, JSON)] {
        track.members
            + [TrackField.notes, TrackField.colour, TrackField.gear].map {
                ($0.string, .text(texts[$0]))
            }
            + source.members
            + [
                ("flagged", flags.json),
                ("edits", edits.json),
                ("isDeleted", .bool(track.isDeleted)),
                ("channels", .array(statistics.map(\.json))),
                ("marks", .array(marks.map(\.json))),
            ]
    }
}

extension ChannelStatistics {
    /// In the channel's own units: degrees, metres, and metres a second.
    fileprivate var json: JSON {
        let decimals = channel.decimals + 1
        return .object([
            ("channel", .text(channel.description)),
            ("count", .integer(count)),
            ("min", .number(range?.lowerBound, decimals: decimals)),
            ("mean", .number(mean, decimals: decimals)),
            ("max", .number(range?.upperBound, decimals: decimals)),
        ])
    }
}
