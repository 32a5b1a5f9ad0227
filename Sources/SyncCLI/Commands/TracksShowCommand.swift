import SyncCore

extension Commands {
    static let tracksShow = Command(
        "tracks show",
        "ID",
        summary: "show a track: its summary, its figures, its channels, and pictures of it",
        options: [Option("--splits UNIT", "km, mile or nm: split by each one")]
            + PictureOptions.all,
        details: """
            Moving is what is faster over ten seconds than standing still is in the sport; a pause
            lies between segments. Climb is added up from means over ten seconds to either side.
            Best efforts go by the clock: a pause on the way counts in the time.

            In JSON, figures are in metres, seconds, metres a second and degrees, and pace in
            seconds a kilometre; null where not known.

            """ + "\n" + PictureOptions.details
    ) { arguments, context in
        let library = try await context.library()
        let track = try await library.track(arguments.required("ID"))
        let unit: Split.Unit? = try arguments.choice("--splits")
        let samples = try await library.replica.samples(of: track.id, in: library.space)
        let cells = try await library.replica.cells(
            TrackField.collection,
            .id(track.id),
            in: library.space
        )
        let rule = TrackField.rule(cells)
        let flags = FixFlags(of: samples, by: rule)
        let preferences = try await library.preferences()
        let marks = try await library.replica.marks(of: track.id, in: library.space)
        let picture = TrackPicture(
            of: track,
            samples: flags.believed,
            marks: marks,
            against: try arguments.choice("--against"),
            preferences
        )
        if try PictureFiles(arguments).write(picture, context) { return .success }
        let source = TrackSource(
            cells,
            try await library.replica.original(of: track.id, in: library.space)
        )
        let counted = FigureReport.Source(
            samples: samples,
            rule: rule,
            sport: SportKind(sport: track.sport),
            laps: source.laps,
            start: track.start
        )
        let page = TrackPage(
            track: track,
            flags: flags,
            edits: EditReport(
                edits: TrackEdits(cells),
                standing: track.standing,
                alternatives: try await library.replica.alternatives(
                    to: track.id,
                    in: library.space
                )
            ),
            picture: picture,
            texts: cells.compactMapValues { $0.value.text },
            source: source,
            figures: track.missingChunkCount > 0
                ? nil : FigureReport(of: counted, preferences, unit: unit),
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
