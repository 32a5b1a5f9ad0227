/// Copies of tracks in other spaces.
package struct TrackCopies: ReplicaPart {
    package let context: ReplicaContext

    /// Copies what a track shows to another space, with the marks and texts.
    ///
    /// What the track's edits hide stays behind. Idempotent: the copy's id follows from the person and
    /// the shown samples, and its cells overwrite none.
    ///
    /// - Parameter withFile: whether the imported file is copied too, which may show more than the track.
    ///
    /// Throws ``TrackCopyError``, and ``OriginalError`` for the file.
    package func copy(
        _ track: Identifier,
        from space: Identifier,
        to other: Identifier,
        withFile: Bool = false,
        at now: Moment
    ) throws -> ImportedRow {
        let source = TrackLink(space: space, track: track)
        let graph = try projection.graph(of: try address(track, in: space))
        let rule = TrackField.rule(graph.cells[track] ?? [:])
        let total = try projection.total(of: graph.spans(of: track), by: rule)
        guard total.sampleCount > 0 else { throw TrackCopyError.empty }
        guard total.missingCount == 0 else {
            throw TrackCopyError.missingChunks(total.missingCount)
        }
        let samples = try PackedSamples(projection.batches(of: track, in: graph))
        let name = try imports.name(file: Self.digest(of: source, samples), place: 0, in: other)
        let row = try imports.preview(name, in: other)
        guard row.isNew else { return row }
        let place = try address(name.track, in: other)
        let points = try points.insert(
            samples.chunks,
            from: SampleName(stream: name.stream, index: 0),
            into: place,
            by: rule,
            origin: { _ in .file }
        )
        let file = try withFile ? copyFile(of: source, to: place) : []
        let start = graph.start(of: track, firstTime: total.times?.lowerBound)
        let edits = texts(of: graph, source, start, to: name.track)
        let marks = try markEdits(of: source, to: name.track)
        try rows.apply(name.edits + edits + points + file + marks, in: place.space, at: now)
        return row
    }

    /// Whether the server has accepted all of a copy.
    package func isAccepted(_ copy: Identifier, in space: Identifier) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        let stored = try [
            TrackField.collection, TrackField.points, TrackField.original, Mark.collection,
        ].compactMap { try rows.find(number, $0, .id(copy)) }
        return stored.contains { $0.collection == TrackField.points }
            && stored.allSatisfy { $0.overlay.isEmpty && !$0.base.isEmpty }
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

    private func copyFile(of source: TrackLink, to copy: RowAddress) throws -> [Edit] {
        guard let original = try originals.find(of: source.track, in: source.space) else {
            return []
        }
        let file = try originals.file(of: original, in: source.space)
        return try originals.keep(OriginalUse(file, holder: copy.id), of: copy)
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
