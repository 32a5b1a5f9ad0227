/// Notes and alarms on tracks.
public struct Marks: ReplicaPart {
    /// What all parts share.
    public let context: ReplicaContext

    /// The marks of a track, by time; of one that was made of others also theirs, within its times.
    public func all(of track: Identifier, in space: Identifier) throws -> [Mark] {
        let place = RowAddress(space: try spaces.number(ofSpace: space), id: track)
        let graph = try projection.graph(of: place)
        var marks = try own(of: track, space)
        let others = graph.recordings(of: track).subtracting([track])
        if !others.isEmpty {
            let line = try projection.line(of: track, in: graph, withTails: true)
            let (first, last) = (line.start?.time.milliseconds ?? .max, line.finish ?? .min)
            marks += try others.flatMap { try self.own(of: $0, space) }.filter {
                first <= $0.time.milliseconds && $0.time.milliseconds <= last
            }
        }
        return marks.sorted { ($0.time, $0.field) < ($1.time, $1.field) }
    }

    /// The marks among some, by their fields, of moments that a track does not show: what was recorded
    /// then, just before it or just after it was cut off or hidden.
    ///
    /// Over a single fix that was hidden the way goes on, and with it what lies there.
    package func leftOut(
        _ marks: [Mark],
        of track: Identifier,
        in space: Identifier
    ) throws -> Set<Text> {
        let graph = try projection.graph(
            of: RowAddress(space: try spaces.number(ofSpace: space), id: track)
        )
        guard graph.isEdited(track), !marks.isEmpty else { return [] }
        var waiting = marks.sorted { $0.time < $1.time }[...]
        var leftOut: Set<Text> = []
        let clock = RunClock(rule: TrackField.rule(graph.cells[track] ?? [:]))
        var last = SampleSpan.Cover.none
        for (cover, span) in graph.coveredSpans(of: track) {
            guard let next = waiting.first else { break }
            let isOver = span.run.times.map { $0.upperBound < next.time } ?? false
            let times = try isOver ? nil : clock.times(of: span) { try samples(of: $0) }
            if let times {
                let here = waiting.prefix { $0.time <= times.upperBound }
                waiting = waiting.dropFirst(here.count)
                leftOut.formUnion(
                    here.filter { cover == .gap || last == .gap && $0.time < times.lowerBound }
                        .map(\.field)
                )
            }
            last = cover
        }
        return last == .gap ? leftOut.union(waiting.map(\.field)) : leftOut
    }

    /// All samples of the run of a span.
    private func samples(of span: DerivationGraph.Span) throws -> [Sample] {
        var whole = span
        whole.range = 0..<span.run.count
        return try projection.batches(of: [whole]).flatMap { try $0.read() }
    }

    private func own(of track: Identifier, _ space: Identifier) throws -> [Mark] {
        try rows.cells(Mark.collection, .id(track), in: space).compactMap { Mark($0, $1.value) }
    }

    /// Whether a track has marks that no file brought.
    func hasOwn(_ place: RowAddress) throws -> Bool {
        try rows.find(place.space, Mark.collection, .id(place.id))?.cells.values
            .contains { !$0.stamp.isTimeless } ?? false
    }

    /// Writes marks on what is recorded; one of the same field comes over the one before.
    package func write(_ marks: [Mark], on recording: Recording, at now: UnixTime) throws {
        guard !marks.isEmpty else { return }
        let place = try recordings.place(of: recording)
        let edits = marks.map { Edit(Key(Mark.collection, .id(place.id), $0.field), $0.value) }
        try rows.apply(edits, in: place.space, at: now)
    }

    /// Writes marks on a track.
    package func write(
        _ marks: [Mark],
        on track: Identifier,
        in space: Identifier,
        at now: UnixTime
    ) throws {
        let edits = marks.map { Edit(Key(Mark.collection, .id(track), $0.field), $0.value) }
        try rows.write(edits, in: space, at: now)
    }
}

/// Tells when samples of a run were, without fixes that are out of time; of the last run from memory.
private final class RunClock {
    private let rule: FixRule
    private var first: SampleName?
    private var times: [UnixTime?] = []

    init(rule: FixRule) {
        self.rule = rule
    }

    /// From the first time to the last among the samples of a span; nil where none of them has one.
    func times(
        of span: DerivationGraph.Span,
        read: (DerivationGraph.Span) throws -> [Sample]
    ) rethrows -> ClosedRange<UnixTime>? {
        if first != span.run.first {
            times = FixFilter.times(of: try read(span), by: rule)
            first = span.run.first
        }
        let own = times[span.range.clamped(to: times.indices)].compactMap { $0 }
        guard let earliest = own.min(), let latest = own.max() else { return nil }
        return earliest...latest
    }
}

extension Marks {
    /// Makes marks of the places where somebody was while a track was recorded; returns how many are new.
    package func insert(
        _ waypoints: [ImportedWaypoint],
        on track: Identifier,
        in space: Identifier,
        now: UnixTime
    ) throws -> Int {
        let edits = waypoints.compactMap(\.mark).map {
            Edit(Key(Mark.collection, .id(track), $0.field), $0.value, origin: .file)
        }
        return try rows.write(edits, in: space, at: now)
    }
}

extension ReplicaPart {
    /// Notes and alarms on tracks.
    public var marks: Marks { Marks(context: context) }
}
