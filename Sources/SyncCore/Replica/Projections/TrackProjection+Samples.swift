extension TrackProjection {
    /// Returns the samples that a track shows.
    func batches(of track: Identifier, in graph: DerivationGraph) throws -> SampleBatches {
        let batches = try batches(of: graph.spans(of: track))
        return SampleBatches(batches, isRenumbered: graph.isEdited(track))
    }

    /// Returns all recorded samples of a track, whatever its edits hide.
    func recordedBatches(of place: RowAddress) throws -> SampleBatches {
        SampleBatches(
            try batches(
                of: points.recordedRuns(of: place).map {
                    DerivationGraph.Span(whole: $0, of: place)
                }
            )
        )
    }

    func batches(of spans: [DerivationGraph.Span]) throws -> [SampleBatch] {
        let chunks = LastChunk()
        return try spans.map { try batch($0, chunks) }
    }

    /// Returns the samples of a span; a missing chunk gives none.
    private func batch(_ span: DerivationGraph.Span, _ chunks: LastChunk) throws -> SampleBatch {
        switch span.run.content {
        case .tail(let samples): return SampleBatch(isApart: span.isApart) { samples[span.range] }
        case .chunk(let piece):
            let present = try self.chunks.readable(of: piece, in: span.place)
            return SampleBatch(isApart: span.isApart) {
                guard let present else { return [] }
                let samples = try chunks.samples(in: present) {
                    try self.chunks.samples(in: $0) ?? []
                }
                return samples[span.range.clamped(to: samples.indices)]
            }
        }
    }
}
