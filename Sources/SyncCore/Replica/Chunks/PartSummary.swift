/// The stored summary of a chunk, or the computed summary of a part of one.
struct PartSummary {
    let summary: ChunkSummary
    /// See ``Samples/ends``.
    let ends: Samples
}

extension PartSummary {
    init(of samples: Samples, by rule: FixRule) {
        self.init(summary: ChunkSummary(of: samples, by: rule), ends: samples.ends)
    }
}
