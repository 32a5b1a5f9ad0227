/// A track's samples, packed as they are appended: a million take a few megabytes.
///
/// The chunks depend only on the samples, not on how they were split into appends.
package struct PackedSamples: Hashable, Sendable {
    /// The chunks that are packed already.
    private var full: [PackedChunk] = []
    /// Fewer samples than fill a chunk.
    private var open = Samples()
    package private(set) var count = 0

    package init() {}

    package init(_ samples: some Sequence<Sample>) {
        append(contentsOf: samples)
        close()
    }

    package mutating func append(_ sample: Sample) {
        open.append(sample)
        count += 1
        packIfFull()
    }

    package mutating func append(contentsOf samples: some Sequence<Sample>) {
        guard var rest = samples as? Samples else {
            for sample in samples { append(sample) }
            return
        }
        while !rest.isEmpty {
            let part = rest.prefix(Chunk.sampleLimit - open.count)
            open.append(contentsOf: part)
            count += part.count
            packIfFull()
            rest = rest.dropFirst(part.count)
        }
    }

    private mutating func packIfFull() {
        guard open.count == Chunk.sampleLimit else { return }
        full += PackedChunk.pack(open)
        open.removeAllKeepingCapacity()
    }

    /// Packs the rest; the last append has been made.
    package mutating func close() {
        full += PackedChunk.pack(open)
        open = Samples()
    }

    package var isEmpty: Bool { count == 0 }

    package var first: Sample? { first { _ in true } }

    /// All samples as chunks.
    package var chunks: [PackedChunk] { full + PackedChunk.pack(open) }
}

extension PackedSamples: Sequence {
    /// Iterates over the samples, one unpacked chunk at a time.
    package func makeIterator() -> some IteratorProtocol<Sample> {
        (0...full.count).lazy
            .flatMap { $0 < full.count ? full[$0].samples : open }
            .makeIterator()
    }
}

extension PackedSamples: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Sample...) { self.init(elements) }
}

/// A newly packed chunk with what is kept beside it.
package struct PackedChunk: Hashable, Sendable {
    package let bytes: [UInt8]
    package let summary: ChunkSummary
    /// See ``Samples/ends``.
    let ends: Samples

    /// Packs samples into chunks within the limits (see ``Chunk/split(_:)``).
    package static func pack(_ samples: some Sequence<Sample>) -> [PackedChunk] {
        Chunk.split(samples).map { run in
            PackedChunk(
                bytes: run.bytes,
                summary: ChunkSummary(of: run.samples),
                ends: run.samples.ends
            )
        }
    }

    /// Returns the chunk's reference, with the summary by a rule.
    func reference(by rule: FixRule) -> ChunkReference {
        ChunkReference(to: bytes, summary.by(rule) ?? ChunkSummary(of: samples, by: rule))
    }

    fileprivate var samples: Samples {
        do {
            return try Chunk.unpack(bytes)
        } catch {
            preconditionFailure("what was packed here can be unpacked: \(error)")
        }
    }
}
