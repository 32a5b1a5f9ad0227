import SyncCore

extension Commands {
    static let tracksShow = Command(
        "tracks show",
        "ID",
        summary: "show a track: its summary, its figures, its channels, and pictures of it",
        options: [Option("--splits UNIT", "km, mile or nm: split by each one")],
        details: """
            Moving is what is faster over ten seconds than standing still is in the sport; a pause lies
            between segments. Climb is added up from means over ten seconds to either side. Best
            efforts go by the clock: a pause on the way counts in the time.

            In JSON, figures are in metres, seconds, metres a second and degrees, and pace in seconds
            a kilometre; null where not known.
            """
    ) { arguments, context in
        let library = try await context.library()
        let track = try await library.track(arguments.required("ID"))
        let samples = try await library.replica.samples(of: track.id, in: library.space)
        let cells = try await library.replica.cells(
            TrackField.collection,
            .id(track.id),
            in: library.space
        )
        let rule = TrackField.rule(cells)
        let source = TrackSource(
            cells,
            try await library.replica.original(of: track.id, in: library.space)
        )
        let preferences = try await library.preferences()
        let counted = FigureReport.Source(
            samples: samples,
            rule: rule,
            sport: SportKind(sport: track.sport),
            laps: source.laps,
            start: track.start
        )
        let page = TrackPage(
            track: track,
            flags: FixFlags(of: samples, by: rule),
            texts: cells.compactMapValues { $0.value.text },
            source: source,
            // Of a part that is here nobody asked.
            figures: track.missingChunkCount > 0
                ? nil
                : FigureReport(of: counted, preferences, unit: try arguments.choice("--splits")),
            samples: samples,
            statistics: ChannelStatistics.all(in: samples),
            marks: try await library.replica.marks(of: track.id, in: library.space),
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
    private static let widest = 100
    private static let mapRows = 20
    private static let pictured: [Channel] = [.speed, .altitude, .heel]

    let track: Track
    let flags: FixFlags
    let texts: [Text: String]
    let source: TrackSource
    let figures: FigureReport?
    let samples: [Sample]
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
        if let figures { FigureTables(report: figures).show(on: output) }
        if !marks.isEmpty { output.line() }
        for mark in marks { output.line(mark.line(preferences, of: track)) }
        let columns = min(output.columns ?? 80, Self.widest)
        showSparklines(on: output, columns: columns)
        let drawing = TrackDrawing(samples: flags.believed, preferences: preferences)
        let map = drawing.map(columns: columns, rows: Self.mapRows)
        if !map.isEmpty { output.text("\n" + map) }
    }

    private var summary: [(label: String, value: String)] {
        var fields = [
            ("id", track.id.description),
            ("sport", track.sport ?? "–"),
            ("start", preferences.text(track.start)),
            ("finish", preferences.time(track.finish, of: track.start)),
            ("duration", track.elapsed),
            ("distance", preferences.distance(track.knownDistanceMetres)),
        ]
        fields += figures?.fields ?? []
        fields += [
            ("points", "\(points) of \(track.sampleCount.counted("sample"))")
        ]
        if let words = flags.words { fields.append(("flagged", words)) }
        if track.missingChunkCount > 0 {
            let chunks = track.missingChunkCount.counted("chunk")
            fields.append(("missing", "\(chunks); 'wake sync' brings what is not here"))
        }
        for field in [TrackField.notes, TrackField.colour, TrackField.gear] {
            if let text = texts[field] { fields.append((field.string, text)) }
        }
        fields += source.fields(preferences)
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

    private func showSparklines(on output: Output, columns: Int) {
        let drawing = TrackDrawing(samples: samples, preferences: preferences)
        let label = 10
        let lines = Self.pictured.compactMap { channel in
            drawing.sparkline(of: channel, width: columns - label).map {
                "\(channel)".padded(to: label) + $0
            }
        }
        guard !lines.isEmpty else { return }
        output.line()
        for line in lines { output.line(line) }
    }

    var members: [(String, JSON)] {
        track.members
            + [TrackField.notes, TrackField.colour, TrackField.gear].map {
                ($0.string, .text(texts[$0]))
            }
            + source.members
            + [
                ("figures", figures?.json ?? .null),
                ("flagged", flags.json),
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
