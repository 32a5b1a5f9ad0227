extension Replica {
    /// The marks of a track, by time; of one that was made of others also theirs, within its times.
    public func marks(of track: Identifier, in space: Identifier) throws -> [Mark] {
        try database.read {
            let place = TrackPlace(space: try number(ofSpace: space), id: track)
            let kin = try kin(of: place)
            var marks = try marks(of: track, space)
            let others = kin.recordings(of: track).subtracting([track])
            if !others.isEmpty {
                let line = try line(of: track, in: kin, withTails: true)
                let (first, last) = (line.start?.time.milliseconds ?? .max, line.finish ?? .min)
                marks += try others.flatMap { try self.marks(of: $0, space) }.filter {
                    first <= $0.time.milliseconds && $0.time.milliseconds <= last
                }
            }
            return marks.sorted { ($0.time, $0.field) < ($1.time, $1.field) }
        }
    }

    /// The marks among some, by their fields, of moments that a track does not show: what was recorded
    /// then, just before it or just after it was cut off or hidden.
    ///
    /// Over a single fix that was hidden the way goes on, and with it what lies there.
    package func marksLeftOut(
        _ marks: [Mark],
        of track: Identifier,
        in space: Identifier
    ) throws -> Set<Text> {
        try database.read {
            let kin = try kin(of: TrackPlace(space: try number(ofSpace: space), id: track))
            guard kin.isEdited(track), !marks.isEmpty else { return [] }
            var waiting = marks.sorted { $0.time < $1.time }[...]
            var leftOut: Set<Text> = []
            let clock = RunClock(rule: TrackField.rule(kin.cells[track] ?? [:]))
            var last = Stretch.Cover.none
            for (cover, span) in kin.coveredSpans(of: track) {
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
    }

    /// All samples of the run of a span.
    private func samples(of span: TrackKin.Span) throws -> [Sample] {
        var whole = span
        whole.range = 0..<span.run.count
        return try batches(of: [whole]).flatMap { try $0.read() }
    }

    private func marks(of track: Identifier, _ space: Identifier) throws -> [Mark] {
        try cells(Mark.collection, .id(track), in: space).compactMap { Mark($0, $1.value) }
    }

    /// Whether a track has marks that no file brought.
    func hasOwnMarks(_ place: TrackPlace) throws -> Bool {
        try storedRow(place.space, Mark.collection, .id(place.id))?.cells.values
            .contains { !$0.stamp.isTimeless } ?? false
    }

    /// Writes marks on what is recorded; one of the same field comes over the one before.
    package func write(_ marks: [Mark], on recording: Recording, at now: UnixTime) throws {
        guard !marks.isEmpty else { return }
        try write {
            let place = try place(of: recording)
            let edits = marks.map { Edit(Key(Mark.collection, .id(place.id), $0.field), $0.value) }
            try apply(edits, in: place.space, at: now)
        }
    }

    /// Writes marks on a track.
    package func write(
        _ marks: [Mark],
        on track: Identifier,
        in space: Identifier,
        at now: UnixTime
    ) throws {
        let edits = marks.map { Edit(Key(Mark.collection, .id(track), $0.field), $0.value) }
        try write(edits, in: space, at: now)
    }

    /// How a recording stands; somebody else may have written that it pauses or ends.
    package func status(of recording: Recording) throws -> Track.Status? {
        let place = try place(of: recording)
        let row = try storedRow(place.space, TrackField.collection, .id(place.id))
        return row?.cell(TrackField.status)?.value.text.flatMap(Track.Status.init)
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
        of span: TrackKin.Span,
        read: (TrackKin.Span) throws -> [Sample]
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
