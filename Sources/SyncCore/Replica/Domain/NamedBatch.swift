/// A sample of a track with its name.
package struct NamedSample: Sendable {
    /// Its name for ever.
    package let name: SampleName
    /// What was recorded.
    package let sample: Sample
}

/// Samples of a track that follow each other, read when they are asked for.
package struct NamedBatch {
    /// The name of its first one.
    package let first: SampleName
    /// The name after its last one.
    package let end: SampleName
    let samples: SampleBatch
    /// Between which times they lie, perhaps with others that are left out; nil where that is not
    /// known without reading them.
    package let times: ClosedRange<UnixTime>?

    /// Reads them.
    package func forEach(_ body: (NamedSample) throws -> Void) throws {
        let samples = try samples.read()
        for (index, sample) in zip(first.index..., samples) {
            let name = SampleName(stream: first.stream, index: index)
            try body(NamedSample(name: name, sample: sample))
        }
    }
}
