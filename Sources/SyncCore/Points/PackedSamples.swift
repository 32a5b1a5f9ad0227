/// The samples of a track, packed as they come, so that a million of them take a few megabytes.
///
/// The same samples are packed into the same chunks, in whichever pieces they come.
package struct PackedSamples: Hashable, Sendable {
    /// What is packed already.
    private var full: [PackedChunk] = []
    /// Fewer than a chunk has room for.
    private var open: [Sample] = []
    /// How many there are.
    package private(set) var count = 0

    /// No samples yet.
    package init() {}

    /// All of `samples`, in their order.
    package init(_ samples: some Sequence<Sample>) {
        for sample in samples { append(sample) }
        close()
    }

    /// Adds a sample at the end.
    package mutating func append(_ sample: Sample) {
        open.append(sample)
        count += 1
        guard open.count == Chunk.sampleLimit else { return }
        full += PackedChunk.pack(open)
        open.removeAll(keepingCapacity: true)
    }

    /// Adds samples at the end.
    package mutating func append(contentsOf samples: some Sequence<Sample>) {
        for sample in samples { append(sample) }
    }

    /// Packs the rest: nothing comes any more.
    package mutating func close() {
        full += PackedChunk.pack(open)
        open = []
    }

    package var isEmpty: Bool { count == 0 }

    /// The first sample.
    package var first: Sample? { first { _ in true } }

    /// All of them, packed.
    package var chunks: [PackedChunk] { full + PackedChunk.pack(open) }
}

extension PackedSamples: Sequence {
    /// Unpacks chunk by chunk.
    package func makeIterator() -> Iterator {
        Iterator(chunks: full[...], rest: open)
    }

    package struct Iterator: IteratorProtocol {
        fileprivate var chunks: ArraySlice<PackedChunk>
        fileprivate var rest: [Sample]
        private var present: [Sample] = []
        private var index = 0

        fileprivate init(chunks: ArraySlice<PackedChunk>, rest: [Sample]) {
            self.chunks = chunks
            self.rest = rest
        }

        package mutating func next() -> Sample? {
            while index == present.count {
                if let chunk = chunks.popFirst() {
                    present = chunk.samples
                } else if !rest.isEmpty {
                    (present, rest) = (rest, [])
                } else {
                    return nil
                }
                index = 0
            }
            defer { index += 1 }
            return present[index]
        }
    }
}

extension PackedSamples: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Sample...) {
        self.init(elements)
    }
}

/// A chunk that was just made, with what can be said of it.
package struct PackedChunk: Hashable, Sendable {
    /// The chunk's bytes.
    package let bytes: [UInt8]
    /// What is in it.
    package let summary: ChunkSummary

    /// Packs samples into as few chunks as the limits allow.
    package static func pack(_ samples: [Sample]) -> [PackedChunk] {
        Chunk.split(samples).map { run in
            PackedChunk(bytes: run.bytes, summary: ChunkSummary(of: samples[run.samples]))
        }
    }

    fileprivate var samples: [Sample] {
        do {
            return try Chunk.unpack(bytes)
        } catch {
            preconditionFailure("what was packed here can be unpacked: \(error)")
        }
    }
}
