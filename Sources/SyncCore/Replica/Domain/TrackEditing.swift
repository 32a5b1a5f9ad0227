/// Why a track cannot be edited as asked.
package enum TrackEditError: Error, Equatable {
    /// The track has no such sample.
    case unknownSample
    /// A part would be empty: a cut lies at the start or end, or two cuts lie at one place.
    case emptyPart
    /// The track is not shown: it is superseded, an alternative or without a source.
    case notShown(Identifier)
    /// More than ``TrackEdits/partLimit`` tracks would result or be joined.
    case tooManyParts
    /// Fewer than two tracks to join, or one track twice.
    case nothingToJoin
}

/// Edits of tracks.
///
/// None changes a sample. Each function returns the edits; ``Actions`` writes them so that they can
/// be undone.
package struct TrackEditing: ReplicaPart {
    package let context: ReplicaContext

    /// Passes each shown sample with its name to `body`, with segments renumbered.
    package func forEachSample(
        of track: Identifier,
        in space: Identifier,
        _ body: (NamedSample) throws -> Void
    ) throws {
        var segments = SegmentCount()
        for batch in try namedBatches(of: track, in: space) {
            if batch.samples.isApart { segments.breakOff() }
            try batch.forEach { named in
                try body(NamedSample(name: named.name, sample: segments.renumbered(named.sample)))
            }
        }
    }

    /// Returns what a track shows, or would show after edits of its row, as batches read on demand.
    package func namedBatches(
        of track: Identifier,
        after edits: [Edit] = [],
        in space: Identifier
    ) throws -> [NamedBatch] {
        let place = try address(track, in: space)
        let graph = try projection.graph(of: place, after: edits)
        let spans = graph.spans(of: track)
        return zip(spans, try projection.batches(of: spans)).map { span, samples in
            let stream = span.run.first.stream
            let index = span.run.first.index
            return NamedBatch(
                first: SampleName(stream: stream, index: index + span.range.lowerBound),
                end: SampleName(stream: stream, index: index + span.range.upperBound),
                samples: samples,
                times: span.run.times
            )
        }
    }

    /// Returns the times of recorded samples of a track and its related tracks, shown or not.
    ///
    /// Samples that are missing or have no time are left out.
    package func times(
        of names: Set<SampleName>,
        in track: Identifier,
        _ space: Identifier
    ) throws -> [SampleName: UnixTime] {
        let graph = try projection.graph(of: address(track, in: space))
        let wanted = Dictionary(grouping: names, by: \.stream)
        var times: [SampleName: UnixTime] = [:]
        for span in graph.recordedSpans {
            let first = span.run.first
            let found = (wanted[first.stream] ?? []).filter { span.run.range ~= $0.index }
            guard !found.isEmpty, let batch = try projection.batches(of: [span]).first else {
                continue
            }
            let samples = try batch.read()
            for name in found where samples.indices.contains(name.index - first.index) {
                times[name] = samples[name.index - first.index].time
            }
        }
        return times
    }

    /// Returns the tracks that invalid splits or joins made from a track.
    package func alternatives(to track: Identifier, in space: Identifier) throws -> [Identifier] {
        try projection.graph(of: address(track, in: space))
            .alternatives(to: track)
    }

    /// Returns the sources and successors of a track, direct and indirect, including deleted ones.
    package func relatedTracks(of track: Identifier, in space: Identifier) throws -> [Track] {
        let graph = try projection.graph(of: address(track, in: space))
        return try graph.cells.keys.filter { $0 != track && graph.isTrack($0) }.sorted()
            .compactMap { try tracks.find($0, in: space) }
    }

    /// Returns how many samples a track would show after edits of its row.
    package func shownCount(
        of track: Identifier,
        after edits: [Edit],
        in space: Identifier
    ) throws -> Int {
        let place = try address(track, in: space)
        let graph = try projection.graph(of: place, after: edits)
        return graph.spans(of: track).reduce(0) { $0 + $1.range.count }
    }

    package func hide(_ ranges: [SampleRange], of track: Identifier, isBridged: Bool) -> [Edit] {
        ranges.map { range in
            let field = Text(TrackEdits.hidePrefix + newIdentifier().description)
            return Edit(track, field, TrackEdits.Hiding(range, isBridged: isBridged).value)
        }
    }

    /// Splits a track before each of the given samples.
    ///
    /// The last part is open-ended, so late samples of the track belong to it. The distance across
    /// a cut belongs to the part before it, or to no part if `endsWays` is true.
    package func split(
        _ track: Identifier,
        before cuts: [SampleName],
        endsWays: Bool = false,
        in space: Identifier
    ) throws -> (tracks: [Identifier], edits: [Edit]) {
        let graph = try editable([track], in: space)
        guard !cuts.isEmpty, Set(cuts).count == cuts.count else {
            throw TrackEditError.emptyPart
        }
        guard cuts.count < TrackEdits.partLimit else { throw TrackEditError.tooManyParts }
        let ends = [nil] + cuts + [nil]
        let parts = zip(ends, ends.dropFirst()).map {
            TrackEdits.Part(track, SampleRange(from: $0, to: $1), endsWay: endsWays)
        }
        try check(parts, of: graph.lineage.whole(of: track))
        let heirs = try parts.map { _ in try rows.new(TrackField.collection, in: space) }
        let tracks = heirs.map(\.id)
        let edits = zip(heirs, parts).enumerated().flatMap { number, part in
            graph.heirEdits(part.0, parts: [part.1], nameSuffix: " (\(number + 1))")
        }
        return (tracks, edits + [supersede(track, by: tracks)])
    }

    /// Joins several tracks into one, in the given order.
    package func join(
        _ tracks: [Identifier],
        in space: Identifier
    ) throws -> (track: Identifier, edits: [Edit]) {
        guard tracks.count > 1, Set(tracks).count == tracks.count else {
            throw TrackEditError.nothingToJoin
        }
        guard tracks.count <= TrackEdits.partLimit else { throw TrackEditError.tooManyParts }
        let graph = try editable(tracks, in: space)
        let heir = try rows.new(TrackField.collection, in: space)
        let parts = tracks.map { TrackEdits.Part($0) }
        let edits = graph.heirEdits(heir, parts: parts, nameSuffix: "")
        return (heir.id, edits + tracks.map { supersede($0, by: [heir.id]) })
    }

    private func check(_ parts: [TrackEdits.Part], of whole: [SampleSpan]) throws {
        for part in parts {
            let alone = TrackEdits.Part(part.source, part.range, endsWay: true)
            guard let shown = whole.part(alone)?.shown else { throw TrackEditError.unknownSample }
            guard !shown.isEmpty else { throw TrackEditError.emptyPart }
        }
    }

    private func supersede(_ track: Identifier, by successors: [Identifier]) -> Edit {
        Edit(track, TrackEdits.supersededBy, TrackEdits.value(of: successors))
    }

    /// Returns the graph of the first track, after checking that all tracks are shown.
    private func editable(_ tracks: [Identifier], in space: Identifier) throws -> DerivationGraph {
        let number = try spaces.number(ofSpace: space)
        let first = try projection.graph(of: RowAddress(space: number, id: tracks[0]))
        for id in tracks {
            let place = RowAddress(space: number, id: id)
            let graph = first.cells[id] == nil ? try projection.graph(of: place) : first
            guard graph.lineage.standing(of: id) == .shown else {
                throw TrackEditError.notShown(id)
            }
        }
        return first
    }
}

extension DerivationGraph {
    /// Returns the edits of a new split or joined track: its parts, and what it inherits.
    ///
    /// It inherits what people wrote on the first part's source, but not the device's laps and
    /// totals.
    fileprivate func heirEdits(
        _ heir: NewRow,
        parts: [TrackEdits.Part],
        nameSuffix: String
    ) -> [Edit] {
        let source = cells[parts[0].source] ?? [:]
        var values = source.mapValues(\.value).filter {
            $0.value != .null && TrackField.isCopied($0.key)
        }
        values[TrackField.name] = source[TrackField.name]?.value.text.map {
            .text(Text($0 + nameSuffix))
        }
        return heir.edits + [Edit(heir.id, TrackEdits.parts, .list(parts.map(\.value)))]
            + values.sorted { $0.key < $1.key }.map { Edit(heir.id, $0.key, $0.value) }
    }
}

extension Edit {
    /// Shows only a range of a track, in place of any earlier trim; a nil end is open.
    package static func trim(_ track: Identifier, to range: SampleRange) -> [Edit] {
        [(TrackEdits.trimStart, range.start), (TrackEdits.trimEnd, range.end)].map { field, name in
            Edit(track, field, name.map { .text($0.field) } ?? .null)
        }
    }

    package init(_ track: Identifier, _ field: Text, _ value: Value, origin: Origin = .person) {
        self.init(Key(TrackField.collection, .id(track), field), value, origin: origin)
    }
}
