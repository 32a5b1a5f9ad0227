import ProgramKit
import SyncCore

enum TracksShowCommand {
    static let command = Command(
        "tracks show",
        "ID",
        summary: "show figures, channels, plots and map of a track",
        options: [Option("--splits UNIT", "print a split for each km, mile or nm")]
            + PictureOptions.all,
        details: """
            Moving time is the time in which the speed over ten seconds exceeds a limit that
            depends on the sport. A pause is the time between two segments. Climb is summed
            from altitudes averaged over ten seconds to either side. Best efforts use
            elapsed time: a pause within an effort counts.

            JSON has figures in metres, seconds, metres per second and degrees, and pace in
            seconds per kilometre; unknown figures are null.

            """ + "\n" + PictureOptions.details
    ) { arguments, context in
        let library = try await context.library()
        let track = try await library.track(arguments.required("ID"))
        let files = try PictureFiles(arguments)
        guard files.isEmpty || arguments.option("--splits") == nil else {
            throw UserError.usage(
                "--splits cannot be used with --svg or --png",
                hint: "omit --splits, or --svg and --png: only the page of text has splits"
            )
        }
        let show = try await show(track, library, abscissa: try arguments.choice("--against"))
        if !files.isEmpty {
            try files.write(await show.picture(library), context)
            if let words = show.marks.words { context.output.note(words) }
            return .success
        }
        let isJSON = context.output.isJSON
        let page = show.page(
            of: try await show.survey(library, isDrawn: !isJSON),
            unit: try arguments.choice("--splits"),
            original: try await library.replica.read {
                try $0.originals.find(of: track.id, in: library.space)
            }
        )
        if isJSON {
            context.output.json(.object([("track", .object(page.members))]))
        } else {
            page.show(on: context.output)
        }
        return .success
    }

    /// Loads the data of a track that does not come from its samples.
    private static func show(
        _ track: Track,
        _ library: Library,
        abscissa: Abscissa?
    ) async throws -> TrackShow {
        let cells = try await library.cells(of: track.id)
        return TrackShow(
            track: track,
            cells: cells,
            edits: try await library.editReport(of: track, cells),
            marks: try await library.marks(of: track),
            preferences: try await library.preferences(),
            abscissa: abscissa,
            isResumable: try await library.resumable() == track.id
        )
    }
}

/// A track to be shown, with the data that does not come from its samples.
private struct TrackShow {
    let track: Track
    let cells: [Text: Cell]
    let edits: EditReport
    let marks: MarkReport
    let preferences: Preferences
    /// The x axis that the person asked for, or nil if none.
    let abscissa: Abscissa?
    /// Whether a recorder would resume this track.
    let isResumable: Bool

    private var sport: SportKind { SportKind(sport: track.sport) }

    private var emptyTrace: Trace { Trace(of: Quantity.all(of: track.sport).map(\.channel)) }

    func picture(_ library: Library) async throws -> TrackPicture {
        var survey = TrackSurvey(by: TrackField.rule(cells))
        survey.trace = emptyTrace
        survey = try await taken(survey, library)
        return picture(of: survey.trace ?? emptyTrace)
    }

    /// Reads the samples once for a page of text or JSON.
    func survey(_ library: Library, isDrawn: Bool) async throws -> TrackSurvey {
        var survey = TrackSurvey(by: TrackField.rule(cells))
        survey.channels = ChannelTable()
        if isDrawn { survey.trace = emptyTrace }
        if track.missingChunkCount == 0 {
            survey.figures = TrackFigures(survey.rule, sport: sport, zones: preferences.zones)
            survey.headings = HeadingReport(from: preferences.north)
        }
        return try await taken(survey, library)
    }

    private func taken(_ survey: TrackSurvey, _ library: Library) async throws -> TrackSurvey {
        try await library.replica.read { replica in
            var survey = survey
            try survey.take(replica.tracks.batches(of: track.id, in: library.space))
            return survey
        }
    }

    private func picture(of trace: Trace) -> TrackPicture {
        TrackPicture(of: track, trace, marks: marks.shown, against: abscissa, preferences)
    }

    func page(of survey: TrackSurvey, unit: Split.Unit?, original: Original?) -> TrackPage {
        let source = TrackSource(cells, original)
        var report: FigureReport?
        if let figures = survey.figures, let headings = survey.headings {
            report = FigureReport(
                source: FigureReport.Source(sport: sport, laps: source.laps, start: track.start),
                figures: figures,
                headings: headings,
                preferences: preferences,
                unit: unit
            )
        }
        return TrackPage(
            track: track,
            isResumable: isResumable,
            flags: survey.flags,
            edits: edits,
            picture: survey.trace.map(picture),
            texts: cells.compactMapValues { $0.value.text },
            source: source,
            figures: report,
            statistics: survey.channels?.rows ?? [],
            marks: marks,
            preferences: preferences
        )
    }
}
