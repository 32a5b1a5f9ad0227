/// Copies of tracks in other spaces.
package struct TrackCopies: ReplicaPart {
    package let context: ReplicaContext

    /// Copies what a track shows to another space, with the marks and texts.
    ///
    /// What the track's edits hide stays behind. Idempotent: the copy's id follows from the person and
    /// the shown samples, and its cells overwrite none. A copy that lacks something gets it; one in the
    /// trash stays as it is.
    ///
    /// - Parameter withFile: whether the imported file is copied too, which may show more than the track.
    ///
    /// Throws ``TrackCopyError``, and ``OriginalError`` for the file.
    package func copy(
        _ source: TrackLink,
        to other: Identifier,
        withFile: Bool = false,
        at now: Moment
    ) throws -> ImportedRow {
        let plan = try plan(source, to: other, withFile: withFile)
        let row = try imports.preview(plan.name, in: other)
        guard !row.isDeleted else { return row }
        let place = try address(plan.name.track, in: other)
        let points = try points.insert(
            plan.samples.chunks,
            from: SampleName(stream: plan.name.stream, index: 0),
            into: place,
            by: plan.rule,
            origin: { _ in .file }
        )
        let file = try plan.original.map { original in
            let file = try originals.file(of: original, in: source.space)
            return try originals.keep(OriginalUse(file, holder: place.id), of: place)
        }
        try rows.apply(plan.edits + points + (file ?? []), in: place.space, at: now)
        return row
    }

    /// Whether the server has accepted all of a copy of what the track shows now, and it is not in the
    /// trash.
    package func isAccepted(
        _ source: TrackLink,
        to other: Identifier,
        withFile: Bool = false
    ) throws -> Bool {
        let plan = try plan(source, to: other, withFile: withFile)
        guard try !imports.preview(plan.name, in: other).isDeleted else { return false }
        let number = try spaces.number(ofSpace: other)
        let fields = Dictionary(grouping: try keys(of: plan, from: source), by: \.rowName)
        return try fields.allSatisfy { name, keys in
            let base = try rows.find(number, name.collection, name.row)?.base
            return keys.allSatisfy { base?[$0.field] != nil }
        }
    }

    /// What a copy is to have.
    private struct Plan {
        let name: ImportName
        let samples: PackedSamples
        let rule: FixRule
        /// The texts, the marks, and who makes the copy.
        let edits: [Edit]
        /// The file to be copied, if any.
        let original: Original?
    }

    private func plan(
        _ source: TrackLink,
        to other: Identifier,
        withFile: Bool
    ) throws -> Plan {
        let graph = try projection.graph(of: try address(source.track, in: source.space))
        let rule = TrackField.rule(graph.cells[source.track] ?? [:])
        let total = try projection.total(of: graph.spans(of: source.track), by: rule)
        guard total.sampleCount > 0 else { throw TrackCopyError.empty }
        guard total.missingCount == 0 else {
            throw TrackCopyError.missingChunks(total.missingCount)
        }
        let samples = try PackedSamples(projection.batches(of: source.track, in: graph))
        let name = try imports.name(file: Self.digest(of: source, samples), place: 0, in: other)
        let start = graph.start(of: source.track, firstTime: total.times?.lowerBound)
        let edits =
            try texts(of: graph, source, start, to: name.track)
            + markEdits(of: source, to: name.track)
        return Plan(
            name: name,
            samples: samples,
            rule: rule,
            edits: name.edits + edits,
            original: try withFile ? originals.find(of: source.track, in: source.space) : nil
        )
    }

    /// Returns the cells of a copy.
    private func keys(of plan: Plan, from source: TrackLink) throws -> [Key] {
        let row = Row.id(plan.name.track)
        var index = 0
        let points = plan.samples.chunks.map { chunk in
            defer { index += chunk.reference(by: plan.rule).sampleCount }
            let first = SampleName(stream: plan.name.stream, index: index)
            return Key(TrackField.points, row, first.field)
        }
        guard let original = plan.original else { return plan.edits.map(\.key) + points }
        let holder = try address(original.holder, in: source.space)
        let stream = Original.stream(of: original.digest)
        let pieces = try originals.pieces(of: holder).filter { $0.first.stream == stream }
            .map { Key(TrackField.original, row, $0.first.field) }
        let file = Key(TrackField.collection, row, TrackField.original)
        return plan.edits.map(\.key) + points + pieces + [file]
    }

    /// Stands for the file that an import is named after.
    private static func digest(of source: TrackLink, _ samples: PackedSamples) -> Digest {
        var preimage = Preimage("wake/1/copy", count: 2 + samples.chunks.count)
        preimage.add(source.space)
        preimage.add(source.track)
        for chunk in samples.chunks { preimage.add(Digest(of: chunk.bytes)) }
        return Digest(of: preimage.bytes)
    }

    private func texts(
        of graph: DerivationGraph,
        _ source: TrackLink,
        _ start: TrackStart?,
        to copy: Identifier
    ) -> [Edit] {
        // The device's laps and totals do not describe an edited track.
        let figures = graph.isEdited(source.track) ? [] : [TrackField.laps, TrackField.totals]
        var values = (graph.cells[source.track] ?? [:]).mapValues(\.value).filter {
            $0.value != .null && (TrackField.isCopied($0.key) || figures.contains($0.key))
        }
        values[TrackField.start] = start?.value
        values[TrackField.status] = .text(Text(Track.Status.stopped.rawValue))
        values[TrackField.copiedFrom] = source.value
        return values.sorted { $0.key < $1.key }.map { Edit(copy, $0.key, $0.value, origin: .file) }
    }

    private func markEdits(of source: TrackLink, to copy: Identifier) throws -> [Edit] {
        let all = try marks.all(of: source.track, in: source.space)
        let leftOut = try marks.leftOut(all, of: source.track, in: source.space)
        return all.filter { !leftOut.contains($0.field) }.map {
            Edit(Key(Mark.collection, .id(copy), $0.field), $0.value, origin: .file)
        }
    }
}

/// Why a track cannot be copied.
package enum TrackCopyError: Error, Equatable {
    /// It has no samples, or there is no such track.
    case empty
    /// So many of its chunks have not arrived.
    case missingChunks(Int)
}

extension PackedSamples {
    fileprivate init(_ batches: SampleBatches) throws {
        self.init()
        var cursor = batches.cursor
        while let sample = try cursor.next() { append(sample) }
        close()
    }
}
