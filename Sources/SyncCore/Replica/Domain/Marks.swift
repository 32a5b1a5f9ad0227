/// Notes and alarms on tracks.
public struct Marks: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns the marks of a track by time.
    ///
    /// For a split or joined track, this includes its sources' marks within its times.
    public func all(of track: Identifier, in space: Identifier) throws -> [Mark] {
        let place = try address(track, in: space)
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

    /// Returns the fields of those marks whose moments the track does not show.
    ///
    /// These marks lie in a trimmed or hidden range, or at its edge. Marks in a bridged range count
    /// as shown: the track continues over it.
    package func leftOut(
        _ marks: [Mark],
        of track: Identifier,
        in space: Identifier
    ) throws -> Set<Text> {
        let graph = try projection.graph(of: address(track, in: space))
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

    /// Returns all samples of the span's run.
    private func samples(of span: DerivationGraph.Span) throws -> Samples {
        let whole = DerivationGraph.Span(whole: span.run, of: span.place)
        return try SampleBatches(projection.batches(of: [whole])).all()
    }

    private func own(of track: Identifier, _ space: Identifier) throws -> [Mark] {
        try rows.cells(Mark.collection, .id(track), in: space).compactMap { Mark($0, $1.value) }
    }

    /// Returns whether a track has marks that were not imported.
    func hasOwn(_ place: RowAddress) throws -> Bool {
        try rows.find(place.space, Mark.collection, .id(place.id))?.cells.values
            .contains { !$0.stamp.isTimeless } ?? false
    }

    /// Writes marks on a recording; a mark replaces an earlier one of the same field.
    package func write(_ marks: [Mark], on recording: Recording, at now: Moment) throws {
        guard !marks.isEmpty else { return }
        try write(marks, on: try recordings.place(of: recording), at: now)
    }

    package func write(
        _ marks: [Mark],
        on track: Identifier,
        in space: Identifier,
        at now: Moment
    ) throws {
        try write(marks, on: try address(track, in: space), at: now)
    }

    private func write(_ marks: [Mark], on place: RowAddress, at now: Moment) throws {
        let edits = marks.map { Edit(Key(Mark.collection, .id(place.id), $0.field), $0.value) }
        try rows.apply(edits, in: place.space, at: now)
    }
}

/// Returns times of samples without outliers.
///
/// Keeps the times of the last run in memory.
private final class RunClock {
    private let rule: FixRule
    private var first: SampleName?
    private var times: [UnixTime?] = []

    init(rule: FixRule) { self.rule = rule }

    /// Returns the range of times among the samples of a span, or nil if none has a time.
    func times(
        of span: DerivationGraph.Span,
        read: (DerivationGraph.Span) throws -> Samples
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
    /// Converts waypoints with a time to marks of a track, and returns the number of new marks.
    package func insert(
        _ waypoints: [ImportedWaypoint],
        on track: Identifier,
        in space: Identifier,
        now: Moment
    ) throws -> Int {
        let edits = waypoints.compactMap(\.mark).map {
            Edit(Key(Mark.collection, .id(track), $0.field), $0.value, origin: .file)
        }
        return try rows.write(edits, in: space, at: now)
    }
}
