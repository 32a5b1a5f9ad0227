/// Samples that are read together.
package struct SampleBatch {
    /// Whether the batch begins a segment, whatever its samples say.
    var isApart = false
    /// Reads the samples; returns the same at every call.
    let read: () throws -> Samples
}

/// A track's samples in order, read one batch at a time and any number of times.
///
/// A format that stores column by column reads them once for each column, so memory holds at most
/// one batch.
package struct SampleBatches {
    fileprivate let batches: [SampleBatch]
    /// Whether segments are renumbered from 0, because edits may have removed some.
    fileprivate let isRenumbered: Bool

    init(_ batches: [SampleBatch], isRenumbered: Bool = false) {
        (self.batches, self.isRenumbered) = (batches, isRenumbered)
    }

    package init(_ samples: some Sequence<Sample>) {
        let samples = Samples(samples)
        self.init([SampleBatch { samples }])
    }

    package init(_ samples: PackedSamples) {
        self.init(
            samples.chunks.map { chunk in SampleBatch { try Chunk.unpack(chunk.bytes) } }
        )
    }

    /// Reads all samples into memory.
    func all() throws -> Samples {
        var samples = Samples()
        if isRenumbered {
            var cursor = cursor
            while let sample = try cursor.next() { samples.append(sample) }
        } else {
            for batch in batches { samples.append(contentsOf: try batch.read()) }
        }
        return samples
    }

    /// A cursor before the first sample.
    package var cursor: SampleCursor { SampleCursor(self) }
}

/// A position in the samples; a copy advances independently.
package struct SampleCursor {
    private let source: SampleBatches
    private var batch = 0
    private var present = Samples()
    private var index = 0
    private var segments: SegmentCount?

    fileprivate init(_ source: SampleBatches) {
        self.source = source
        if source.isRenumbered { segments = SegmentCount() }
    }

    /// Returns the next sample, or nil at the end.
    package mutating func next() throws -> Sample? {
        while index == present.endIndex {
            guard batch < source.batches.count else { return nil }
            present = try source.batches[batch].read()
            index = present.startIndex
            if source.batches[batch].isApart { segments?.breakOff() }
            batch += 1
        }
        defer { index += 1 }
        return segments?.renumbered(present[index]) ?? present[index]
    }
}

/// Renumbers segments in order.
struct SegmentCount {
    private var count: Int64 = 0
    /// The segment of the last sample before renumbering, or nil before the first.
    private var told: Int64?
    private var isBroken = false

    mutating func breakOff() { isBroken = true }

    /// Returns the sample with its new segment number, which the first segment omits.
    mutating func renumbered(_ sample: Sample) -> Sample {
        let segment = sample[count: .segment] ?? 0
        if let told, isBroken || told != segment { count += 1 }
        (told, isBroken) = (segment, false)
        let number = count == 0 ? nil : count
        // Most samples stay views into their columns.
        guard sample[count: .segment] != number else { return sample }
        var renumbered = sample
        renumbered[count: .segment] = number
        return renumbered
    }
}
