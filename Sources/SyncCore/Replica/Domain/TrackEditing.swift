/// Why a track cannot be edited as asked.
package enum TrackEditError: Error, Equatable {
    /// There is no such sample in it.
    case unknownSample
    /// It would be cut where it begins or ends, or twice at one place.
    case emptyPart
    /// It is not shown: others are in its place.
    case notShown(Identifier)
    /// More tracks than ``TrackEdits/partLimit`` would come of it, or go into it.
    case tooManyParts
    /// Fewer than two tracks to join, or one twice.
    case nothingToJoin
}

/// Edits of tracks, none of which changes a sample.
///
/// Each returns what is to be written; ``Actions`` writes it so that it can be undone.
package struct TrackEditing: ReplicaPart {
    package let context: ReplicaContext

    /// Goes through what a track shows, sample by sample with their names; segments are counted anew.
    package func forEachSample(
        of track: Identifier,
        in space: Identifier,
        _ body: (NamedSample) throws -> Void
    ) throws {
        var segments = SegmentCount()
        for batch in try namedBatches(of: track, in: space) {
            if batch.samples.isApart { segments.breakOff() }
            try batch.forEach { named in
                try body(
                    NamedSample(name: named.name, sample: segments.renumbered(named.sample))
                )
            }
        }
    }

    /// What a track shows, or would show after edits of its row, a chunk at a time, of which those are
    /// read that are asked for.
    package func namedBatches(
        of track: Identifier,
        after edits: [Edit] = [],
        in space: Identifier
    ) throws -> [NamedBatch] {
        let place = RowAddress(space: try spaces.number(ofSpace: space), id: track)
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

    /// When samples of a track, or of its related tracks, were recorded, whether they are shown or not; nothing of
    /// those that are not here or have no time.
    package func times(
        of names: Set<SampleName>,
        in track: Identifier,
        _ space: Identifier
    ) throws -> [SampleName: UnixTime] {
        let graph = try projection.graph(
            of: RowAddress(space: try spaces.number(ofSpace: space), id: track)
        )
        let wanted = Dictionary(grouping: names, by: \.stream)
        var times: [SampleName: UnixTime] = [:]
        for span in graph.recordedSpans {
            let first = span.run.first
            let found = (wanted[first.stream] ?? []).filter { span.run.range ~= $0.index }
            guard !found.isEmpty, let batch = try projection.batches(of: [span]).first else {
                continue
            }
            let samples = Array(try batch.read())
            for name in found where samples.indices.contains(name.index - first.index) {
                times[name] = samples[name.index - first.index].time
            }
        }
        return times
    }

    /// Tracks that were made of a track by splits or joins that do not count.
    package func alternatives(
        to track: Identifier,
        in space: Identifier
    ) throws -> [Identifier] {
        try projection.graph(of: RowAddress(space: try spaces.number(ofSpace: space), id: track))
            .alternatives(to: track)
    }

    /// The tracks that were made of a track, those that it is made of, and theirs; deleted ones too.
    package func relatedTracks(of track: Identifier, in space: Identifier) throws -> [Track] {
        let graph = try projection.graph(
            of: RowAddress(space: try spaces.number(ofSpace: space), id: track)
        )
        return try graph.cells.keys.filter { $0 != track && graph.isTrack($0) }.sorted()
            .compactMap { try tracks.find($0, in: space) }
    }

    /// How many samples a track would show after edits of its row.
    package func shownCount(
        of track: Identifier,
        after edits: [Edit],
        in space: Identifier
    ) throws -> Int {
        let place = RowAddress(space: try spaces.number(ofSpace: space), id: track)
        let graph = try projection.graph(of: place, after: edits)
        return graph.spans(of: track).reduce(0) { $0 + $1.range.count }
    }

    /// Leaves samples out.
    package func hide(
        _ ranges: [SampleRange],
        of track: Identifier,
        isBridged: Bool
    ) -> [Edit] {
        ranges.map { range in
            let field = Text(TrackEdits.hidePrefix + newIdentifier().description)
            return Edit(track, field, TrackEdits.Hiding(range, isBridged: isBridged).value)
        }
    }

    /// Makes tracks of a track, each from one of the samples to the next; they show from then on what
    /// it did, and all that may still come to its end.
    ///
    /// The way to a cut is that of the track before it, unless `endsWays`: then it is nobody's.
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
        let tracks = parts.map { _ in newIdentifier() }
        let edits = zip(tracks, parts).enumerated().flatMap { number, part in
            graph.heirEdits(part.0, parts: [part.1], nameSuffix: " (\(number + 1))")
        }
        return (tracks, edits + [supersede(track, by: tracks)])
    }

    /// Makes one track of several, one after the other.
    package func join(
        _ tracks: [Identifier],
        in space: Identifier
    ) throws -> (track: Identifier, edits: [Edit]) {
        guard tracks.count > 1, Set(tracks).count == tracks.count else {
            throw TrackEditError.nothingToJoin
        }
        guard tracks.count <= TrackEdits.partLimit else { throw TrackEditError.tooManyParts }
        let graph = try editable(tracks, in: space)
        let track = newIdentifier()
        let parts = tracks.map { TrackEdits.Part($0) }
        let edits = graph.heirEdits(track, parts: parts, nameSuffix: "")
        return (track, edits + tracks.map { supersede($0, by: [track]) })
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

    /// The related tracks of the first of several tracks, all of which must be shown.
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
    /// What a track of parts has of its own from the beginning: what people wrote of the first one's
    /// source, without what its device counted.
    fileprivate func heirEdits(
        _ heir: Identifier,
        parts: [TrackEdits.Part],
        nameSuffix: String
    ) -> [Edit] {
        let source = cells[parts[0].source] ?? [:]
        let kept = source.filter { field, cell in
            cell.value != .null
                && (Self.inherited.contains(field) || field.string.hasPrefix(TrackField.tagPrefix))
        }
        let named = source[TrackField.name]?.value.text.map {
            Edit(heir, TrackField.name, .text(Text($0 + nameSuffix)))
        }
        return [Edit(heir, TrackEdits.parts, .list(parts.map(\.value)))]
            + (named.map { [$0] } ?? [])
            + kept.sorted { $0.key < $1.key }.map { Edit(heir, $0.key, $0.value.value) }
    }

    private static let inherited: Set<Text> = [
        TrackField.sport, TrackField.notes, TrackField.colour, TrackField.gear, TrackField.zone,
        TrackField.filter, TrackField.device,
    ]
}

extension Edit {
    /// Keeps the samples of a range of a track only, whatever was cut before: an open end is all that
    /// there is.
    package static func trim(_ track: Identifier, to range: SampleRange) -> [Edit] {
        [(TrackEdits.trimStart, range.start), (TrackEdits.trimEnd, range.end)].map { field, name in
            Edit(track, field, name.map { .text($0.field) } ?? .null)
        }
    }

    /// An edit of a track's own row.
    package init(_ track: Identifier, _ field: Text, _ value: Value) {
        self.init(Key(TrackField.collection, .id(track), field), value)
    }
}

extension ReplicaPart {
    package var editing: TrackEditing { TrackEditing(context: context) }
}
