import ProgramKit
import SyncCore

enum TracksShowCommand {
    static let command = Command(
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
        let files = try PictureFiles(arguments)
        guard files.isEmpty || arguments.option("--splits") == nil else {
            throw UserError(
                .usage,
                "a picture has no splits",
                hint: "give --splits without --svg and --png: it is for the page of text"
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
