/// A sample of a track with its permanent name.
package struct NamedSample: Sendable {
    package let name: SampleName
    package let sample: Sample
}

/// Consecutive samples of a track, read on demand.
package struct NamedBatch {
    package let first: SampleName
    package let end: SampleName
    let samples: SampleBatch
    /// A range that contains the samples' times, or nil if it is unknown without reading them.
    ///
    /// It may also cover neighbouring samples that are left out.
    package let times: ClosedRange<UnixTime>?

    /// Reads the samples and passes each with its name to `body`.
    package func forEach(_ body: (NamedSample) throws -> Void) throws {
        let samples = try samples.read()
        for (index, sample) in zip(first.index..., samples) {
            let name = SampleName(stream: first.stream, index: index)
            try body(NamedSample(name: name, sample: sample))
        }
    }
}
