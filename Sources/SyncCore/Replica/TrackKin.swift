/// A track with those that it is made of, and those that are made of it or of what it is made of.
struct TrackKin {
    /// Samples that follow each other in one stream of a recording.
    struct Run {
        /// Where they are.
        enum Content {
            case chunk(Replica.Piece)
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
        let place: TrackPlace
        let run: Run
        /// Which ones, counted from the run's first.
        let range: Range<Int>
        /// Whether a segment begins here, whatever the samples say.
        var isApart: Bool

        /// Whether these are all of them.
        var isWhole: Bool { range == 0..<run.count }
    }

    let space: Int64
    let lineage: Lineage
    /// The rows of the tracks.
    let cells: [Identifier: [Text: Cell]]
    /// What was recorded, by stream.
    let runs: [Identifier: [UInt64: [Run]]]

    /// What a track shows, in order.
    func spans(of id: Identifier) -> [Span] {
        lineage.shown(of: id).flatMap(spans)
    }

    private func spans(in stretch: Stretch) -> [Span] {
        let place = TrackPlace(space: space, id: stretch.source)
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
        let edits = TrackEdits(cells[id] ?? [:])
        return edits.coversSamples || edits.parts != nil
    }

    /// How a track's recording stands: of a derived one, that of the recording whose end is its end.
    func status(of id: Identifier) -> String? {
        guard TrackEdits(cells[id] ?? [:]).parts != nil else {
            return cells[id]?[TrackField.status]?.value.text
        }
        let last = lineage.shown(of: id).last { $0.range.upperBound == .max }?.source
        return last.flatMap { cells[$0]?[TrackField.status]?.value.text }
            ?? Track.Status.stopped.rawValue
    }

    /// When a track began: as written, unless its beginning is not shown; and on whose clocks.
    func start(of id: Identifier, firstTime: UnixTime?) -> TrackStart? {
        let written = TrackStart(of: cells[id] ?? [:])
        let source = lineage.shown(of: id).first?.source
        let told = written ?? source.flatMap { TrackStart(of: cells[$0] ?? [:]) }
        guard let firstTime, told == nil || isEdited(id) else { return told }
        return TrackStart(firstTime, offset: told?.offset, zone: told?.zone)
            .onClocks(of: cells[id] ?? [:])
    }
}

extension Replica {
    /// A track and all its kin; by itself where it was never split or joined.
    func kin(of place: TrackPlace) throws -> TrackKin {
        var cells: [Identifier: [Text: Cell]] = [:]
        var runs: [Identifier: [UInt64: [TrackKin.Run]]] = [:]
        var members: [Identifier: Lineage.Member] = [:]
        var waiting = [place.id]
        while let id = waiting.popLast() {
            guard members[id] == nil else { continue }
            let own = TrackPlace(space: place.space, id: id)
            let row = try storedRow(place.space, TrackField.collection, .id(id))?.cells ?? [:]
            let edits = TrackEdits(row)
            let recorded = edits.parts == nil ? try recordedRuns(of: own) : []
            cells[id] = row
            runs[id] = Dictionary(grouping: recorded, by: \.first.stream)
            members[id] = Lineage.Member(
                edits: edits,
                isDeleted: row[TrackField.deleted]?.value.bool == true,
                streams: recorded.map(\.first.stream).uniqued()
            )
            waiting += (edits.parts?.map(\.source) ?? []) + edits.successors
            waiting += try tracks(madeOf: own)
        }
        return TrackKin(
            space: place.space,
            lineage: Lineage(members),
            cells: cells,
            runs: runs
        )
    }

    /// All that was recorded of a track, with what is in no chunk yet, stream by stream.
    func recordedRuns(of place: TrackPlace) throws -> [TrackKin.Run] {
        let packed = try pieces(of: place).map {
            TrackKin.Run(first: $0.first, count: $0.reference.sampleCount, content: .chunk($0))
        }
        return try packed
            + tail(of: place).map {
                TrackKin.Run(first: $0.first, count: $0.samples.count, content: .tail($0.samples))
            }
    }

    /// The tracks of which a part is of another one, in valid derivations or not.
    private func tracks(madeOf place: TrackPlace) throws -> [Identifier] {
        try database.all(
            "SELECT track FROM part WHERE space = $1 AND source = $2",
            .integer(place.space),
            .id(place.id)
        ) { $0.id(0) }
    }

    /// Notes what a track is made of, for those who look from there.
    func noteParts(of place: TrackPlace) throws {
        let row = try storedRow(place.space, TrackField.collection, .id(place.id))?.cells ?? [:]
        for source in Set(TrackEdits(row).parts?.map(\.source) ?? []) {
            try database.run(
                """
                INSERT INTO part (space, source, track) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
                """,
                .integer(place.space),
                .id(source),
                .id(place.id)
            )
        }
    }
}

extension Sequence where Element: Hashable {
    /// Each element once, in the order of their first places.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
