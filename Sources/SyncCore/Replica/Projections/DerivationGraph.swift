/// A track with those that it is made of, and those that are made of it or of what it is made of.
struct DerivationGraph {
    /// Samples that follow each other in one stream of a recording.
    struct Run {
        /// Where they are.
        enum Content {
            case chunk(ChunkUse)
            /// In no chunk yet.
            case tail([Sample])
        }

        let first: SampleName
        let count: Int
        let content: Content

        /// Their places in the stream.
        var range: Range<Int> { first.index..<first.index + count }

        var isTail: Bool { if case .tail = content { true } else { false } }

        /// Between which times they lie; nil where nobody wrote that down.
        var times: ClosedRange<UnixTime>? {
            guard case .chunk(let piece) = content else { return nil }
            return piece.reference.times
        }
    }

    /// Samples of a run that a track shows.
    struct Span {
        /// The recording that they are from.
        let place: RowAddress
        let run: Run
        /// Which ones, counted from the run's first.
        var range: Range<Int>
        /// Whether a segment begins here, whatever the samples say.
        var isApart: Bool

        /// Whether these are all of them.
        var isWhole: Bool { range == 0..<run.count }
    }

    let space: Int64
    let lineage: Lineage
    let edits: [Identifier: TrackEdits]
    /// The rows of the tracks.
    let cells: [Identifier: [Text: Cell]]
    /// What was recorded, by stream.
    let runs: [Identifier: [UInt64: [Run]]]

    /// Whether anybody wrote or recorded anything of it: a row may be left without a value, and others
    /// name tracks that did not arrive.
    func isTrack(_ id: Identifier) -> Bool {
        runs[id]?.isEmpty == false || (cells[id] ?? [:]).contains { $0.value.value != .null }
    }

    /// What a track shows, in order.
    func spans(of id: Identifier) -> [Span] {
        lineage.whole(of: id).shown.flatMap(spans)
    }

    /// All of a track, in order, with how each part is shown.
    func coveredSpans(of id: Identifier) -> [(cover: SampleSpan.Cover, span: Span)] {
        lineage.whole(of: id).flatMap { stretch in
            spans(in: stretch).map { (stretch.cover, $0) }
        }
    }

    /// All that was recorded of any of them, whatever is shown.
    var recordedSpans: [Span] {
        runs.flatMap { source, streams in
            let place = RowAddress(space: space, id: source)
            return streams.values.joined().map { Span(whole: $0, of: place) }
        }
    }

    private func spans(in stretch: SampleSpan) -> [Span] {
        let place = RowAddress(space: space, id: stretch.source)
        var isApart = stretch.isApart
        var spans: [Span] = []
        for run in runs[stretch.source]?[stretch.stream] ?? [] {
            let range = run.range.clamped(to: stretch.range)
            guard !range.isEmpty else { continue }
            let (start, end) = (range.lowerBound - run.first.index, range.upperBound)
            let places = start..<end - run.first.index
            spans.append(Span(place: place, run: run, range: places, isApart: isApart))
            isApart = false
        }
        return spans
    }

    /// Whether people laid anything over the samples of a track, or it is made of others.
    func isEdited(_ id: Identifier) -> Bool {
        guard let edits = edits[id] else { return false }
        return edits.coversSamples || edits.parts != nil
    }

    /// How a track's recording stands: of a derived one, that of the recording whose end is its end.
    func status(of id: Identifier) -> String? {
        let written = openRecording(of: id).flatMap { cells[$0]?[TrackField.status]?.value.text }
        return edits[id]?.parts == nil ? written : written ?? Track.Status.stopped.rawValue
    }

    /// The recording whose end is a track's end; nil where what still comes is not the track's.
    func openRecording(of id: Identifier) -> Identifier? {
        guard edits[id]?.parts != nil else { return id }
        return lineage.whole(of: id).shown.last { $0.range.upperBound == .max }?.source
    }

    /// The recordings that a derived track is made of, with all that edits leave out.
    func recordings(of id: Identifier) -> Set<Identifier> {
        Set(lineage.whole(of: id).map(\.source))
    }

    /// Other tracks that were made of one, and do not count.
    func alternatives(to id: Identifier) -> [Identifier] {
        edits.filter { other, edits in
            edits.parts?.contains { $0.source == id } == true
                && lineage.standing(of: other) == .alternative
        }
        .keys.sorted()
    }

    /// When a track began: as written, unless its beginning is not shown; and on whose clocks.
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
    /// A track and all related tracks; by itself where it was never split or joined.
    ///
    /// - Parameter edits: what is looked at as if it were written; it makes nobody related tracks.
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
            // Whatever is written over a recording, it is one.
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

    /// The tracks that a track names or named as its sources or successors, and those that name it so.
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
    /// All samples of a run.
    init(whole run: DerivationGraph.Run, of place: RowAddress) {
        self.init(place: place, run: run, range: 0..<run.count, isApart: false)
    }
}

extension TrackEdits {
    /// The tracks that it names.
    var relatives: [Identifier] { (parts?.map(\.source) ?? []) + successors }
}
