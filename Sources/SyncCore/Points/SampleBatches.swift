/// Samples that are read at once.
package struct SampleBatch {
    /// Whether a segment begins with them, whatever they say.
    let isApart: Bool
    /// Reads them, the same at every call.
    let read: () throws -> ArraySlice<Sample>

    /// The samples that `read` gives.
    package init(isApart: Bool = false, _ read: @escaping () throws -> ArraySlice<Sample>) {
        (self.isApart, self.read) = (isApart, read)
    }
}

/// The samples of a track in their order, read a batch at a time, and again as often as asked.
///
/// A format that writes column by column goes through them once for each column, so no more than
/// one batch is ever held.
package struct SampleBatches {
    fileprivate let batches: [SampleBatch]
    /// Whether segments are counted anew, from 0: what was left out may have ended some.
    fileprivate let isRenumbered: Bool

    private init(_ batches: [SampleBatch], isRenumbered: Bool) {
        (self.batches, self.isRenumbered) = (batches, isRenumbered)
    }

    /// The samples that `batches` give one after the other.
    package init(_ batches: [SampleBatch]) {
        self.init(batches, isRenumbered: false)
    }

    /// What edits leave of a track, with segments of its own.
    package static func edited(_ batches: [SampleBatch]) -> SampleBatches {
        SampleBatches(batches, isRenumbered: true)
    }

    /// Samples that are here already.
    package init(_ samples: [Sample]) {
        self.init([SampleBatch { samples[...] }])
    }

    /// Samples that are packed.
    package init(_ samples: PackedSamples) {
        self.init(
            samples.chunks.map { chunk in SampleBatch { try Chunk.unpack(chunk.bytes)[...] } }
        )
    }

    /// A cursor before the first sample.
    package var cursor: SampleCursor { SampleCursor(self) }
}

/// A place among samples; a copy goes on from there by itself.
package struct SampleCursor {
    private let source: SampleBatches
    private var batch = 0
    private var present: ArraySlice<Sample> = []
    private var index = 0
    private var segments: SegmentCount?

    fileprivate init(_ source: SampleBatches) {
        self.source = source
        if source.isRenumbered { segments = SegmentCount() }
    }

    /// The next sample, nil at the end.
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

/// Counts segments as they come.
struct SegmentCount {
    private var count: Int64 = 0
    /// What the last sample said; nil before the first.
    private var told: Int64?
    private var isBroken = false

    mutating func breakOff() { isBroken = true }

    /// The sample with the count in it, which the first segment needs not.
    mutating func renumbered(_ sample: Sample) -> Sample {
        let segment = sample[count: .segment] ?? 0
        if let told, isBroken || told != segment { count += 1 }
        (told, isBroken) = (segment, false)
        var renumbered = sample
        renumbered[count: .segment] = count == 0 ? nil : count
        return renumbered
    }
}
