/// A track with all related tracks: sources and successors, direct and indirect.
struct DerivationGraph {
    /// Consecutive samples of one stream of a recording.
    struct Run {
        enum Content {
            case chunk(ChunkUse)
            /// Samples that are in no chunk yet.
            case tail(Samples)
        }

        let first: SampleName
        let count: Int
        let content: Content

        /// The samples' indices in the stream.
        var range: Range<Int> { first.index..<first.index + count }

        var isTail: Bool { if case .tail = content { true } else { false } }

        /// The samples' times as the chunk reference gives them, or nil if it gives none.
        var times: ClosedRange<UnixTime>? {
            guard case .chunk(let piece) = content else { return nil }
            return piece.reference.summary?.bounds.times
        }
    }

    /// Samples of a run that a track shows.
    struct Span {
        /// The recording.
        let place: RowAddress
        let run: Run
        /// The indices of the samples, counted from the first of the run.
        var range: Range<Int>
        /// Whether a segment begins here, whatever the samples' own segment numbers are.
        var isApart: Bool

        var isWhole: Bool { range == 0..<run.count }
    }

    let space: Int64
    let lineage: Lineage
    let edits: [Identifier: TrackEdits]
    /// The rows of the tracks.
    let cells: [Identifier: [Text: Cell]]
    /// The recorded runs by track and stream.
    let runs: [Identifier: [UInt64: [Run]]]

    /// Returns whether a track has a value or a sample.
    ///
    /// A row may have only unset cells, and other tracks may name a track that has not arrived.
    func isTrack(_ id: Identifier) -> Bool {
        runs[id]?.isEmpty == false || (cells[id] ?? [:]).contains { $0.value.value != .null }
    }

    /// Returns the spans that a track shows, in order.
    func spans(of id: Identifier) -> [Span] { lineage.whole(of: id).shown.flatMap(spans) }

    /// Returns all spans of a track in order, shown or not, with how each is shown.
    func coveredSpans(of id: Identifier) -> [(cover: SampleSpan.Cover, span: Span)] {
        lineage.whole(of: id).flatMap { part in spans(in: part).map { (part.cover, $0) } }
    }

    /// All recorded samples of all tracks, shown or not.
    var recordedSpans: [Span] {
        runs.flatMap { source, streams in
            let place = RowAddress(space: space, id: source)
            return streams.values.joined().map { Span(whole: $0, of: place) }
        }
    }

    private func spans(in part: SampleSpan) -> [Span] {
        let place = RowAddress(space: space, id: part.source)
        var isApart = part.isApart
        var spans: [Span] = []
        for run in runs[part.source]?[part.stream] ?? [] {
            let range = run.range.clamped(to: part.range)
            guard !range.isEmpty else { continue }
            let (start, end) = (range.lowerBound - run.first.index, range.upperBound)
            let places = start..<end - run.first.index
            spans.append(Span(place: place, run: run, range: places, isApart: isApart))
            isApart = false
        }
        return spans
    }

    /// Returns whether a track is trimmed, hides samples or was made by a split or join.
    func isEdited(_ id: Identifier) -> Bool {
        guard let edits = edits[id] else { return false }
        return edits.coversSamples || edits.parts != nil
    }

    /// Returns a track's status; a derived track has that of the recording to whose end it extends.
    func status(of id: Identifier) -> String? {
        let written = openRecording(of: id).flatMap { cells[$0]?[TrackField.status]?.value.text }
        return edits[id]?.parts == nil ? written : written ?? Track.Status.stopped.rawValue
    }

    /// Returns the recording to whose end a track extends, or nil if late samples do not belong to
    /// it.
    func openRecording(of id: Identifier) -> Identifier? {
        guard edits[id]?.parts != nil else { return id }
        return lineage.whole(of: id).shown.last { $0.range.upperBound == .max }?.source
    }

    /// Returns the recordings that a track's samples are from, shown or not.
    func recordings(of id: Identifier) -> Set<Identifier> {
        Set(lineage.whole(of: id).map(\.source))
    }

    /// Returns the tracks that invalid splits or joins made from a track.
    func alternatives(to id: Identifier) -> [Identifier] {
        edits.filter { other, edits in
            edits.parts?.contains { $0.source == id } == true
                && lineage.standing(of: other) == .alternative
        }
        .keys.sorted()
    }

    /// Returns a track's start: as written, or the first shown time if the track is edited.
    func start(of id: Identifier, firstTime: UnixTime?) -> TrackStart? {
        let written = TrackStart(of: cells[id] ?? [:])
        let source = lineage.whole(of: id).shown.first?.source
        let told = written ?? source.flatMap { TrackStart(of: cells[$0] ?? [:]) }
        guard let firstTime, told == nil || isEdited(id) else { return told }
        return TrackStart(firstTime, offset: told?.offset, zone: told?.zone)
            .onClocks(of: cells[id] ?? [:])
    }
}

extension TrackProjection {
    /// Returns the graph of a track: all tracks that splits and joins relate to it.
    ///
    /// - Parameter edits: edits that are applied for this graph only, without being written.
    func graph(of place: RowAddress, after edits: [Edit] = []) throws -> DerivationGraph {
        let laidOver = Dictionary(grouping: edits, by: \.key.row)
        var cells: [Identifier: [Text: Cell]] = [:]
        var laid: [Identifier: TrackEdits] = [:]
        var runs: [Identifier: [UInt64: [DerivationGraph.Run]]] = [:]
        var members: [Identifier: Lineage.Member] = [:]
        var waiting = [place.id]
        while let id = waiting.popLast() {
            guard members[id] == nil else { continue }
            let member = RowAddress(space: place.space, id: id)
            var row = try rows.find(place.space, TrackField.collection, .id(id))?.cells ?? [:]
            for edit in laidOver[.id(id)] ?? [] {
                row[edit.key.field] = Cell(stamp: Stamp(time: 0, replica: .zero), value: edit.value)
            }
            let recorded = try points.recordedRuns(of: member)
            var own = TrackEdits(row)
            // A track with recorded samples is a recording, whatever a later write to `parts` says.
            if !recorded.isEmpty { own.parts = nil }
            (cells[id], laid[id]) = (row, own)
            runs[id] = Dictionary(grouping: recorded, by: \.first.stream)
            members[id] = Lineage.Member(
                edits: own,
                isDeleted: row[FieldSchema.deleted.name]?.value.bool == true,
                streams: recorded.map(\.first.stream).uniqued()
            )
            waiting += own.relatives
            waiting += try relatives(of: member)
        }
        return DerivationGraph(
            space: place.space,
            lineage: Lineage(members),
            edits: laid,
            cells: cells,
            runs: runs
        )
    }

    /// Returns the tracks that a track names or named as sources or successors, and those that name
    /// it.
    private func relatives(of place: RowAddress) throws -> [Identifier] {
        try database.all(
            """
            SELECT other FROM derivation WHERE space = \(place.space) AND track = \(place.id)
            UNION ALL SELECT track FROM derivation
            WHERE space = \(place.space) AND other = \(place.id)
            """
        ) { $0.id(0) }
    }
}

extension DerivationGraph.Span {
    init(whole run: DerivationGraph.Run, of place: RowAddress) {
        self.init(place: place, run: run, range: 0..<run.count, isApart: false)
    }
}

extension TrackEdits {
    var relatives: [Identifier] { (parts?.map(\.source) ?? []) + successors }
}
