/// The samples of a track in their order, read a batch at a time, and again as often as asked.
///
/// A format that writes column by column goes through them once for each column, so no more than
/// one batch is ever held.
package struct SampleBatches {
    fileprivate let batches: [() throws -> [Sample]]

    /// The samples that `batches` give one after the other, each the same at every call.
    package init(_ batches: [() throws -> [Sample]]) {
        self.batches = batches
    }

    /// Samples that are here already.
    package init(_ samples: [Sample]) {
        self.init([{ samples }])
    }

    /// Samples that are packed.
    package init(_ samples: PackedSamples) {
        self.init(samples.chunks.map { chunk in { try Chunk.unpack(chunk.bytes) } })
    }

    /// A cursor before the first sample.
    package var cursor: SampleCursor { SampleCursor(self) }
}

/// A place among samples; a copy goes on from there by itself.
package struct SampleCursor {
    private let source: SampleBatches
    private var batch = 0
    private var present: [Sample] = []
    private var index = 0

    fileprivate init(_ source: SampleBatches) {
        self.source = source
    }

    /// The next sample, nil at the end.
    package mutating func next() throws -> Sample? {
        while index == present.count {
            guard batch < source.batches.count else { return nil }
            present = try source.batches[batch]()
            batch += 1
            index = 0
        }
        defer { index += 1 }
        return present[index]
    }
}
