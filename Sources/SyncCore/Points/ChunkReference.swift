/// A reference to a chunk, as a cell stores it.
///
/// It summarizes the chunk, so that a replica can list tracks before it has their samples.
///
/// The value is the list `[hash, byte count, sample count, first time, last time, box]`. Times are
/// in Unix milliseconds or null. The box is `[south, west, north, east]` in 1e-7 degrees or null;
/// west is greater than east if the box spans the antimeridian.
package struct ChunkReference: Hashable, Sendable {
    /// The SHA-256 of the chunk's bytes.
    package let hash: Digest
    package let byteCount: Int
    /// The number of samples, 1 to 4,096; 1 for a piece of a file.
    package let sampleCount: Int
    /// The times of the earliest and latest sample, or nil if no sample has a time.
    package let times: ClosedRange<UnixTime>?
    /// The smallest box around the points, or nil if there are none.
    package let box: ChunkSummary.Box?
}

extension ChunkReference {
    /// Decodes a cell that refers to a chunk, or returns nil for any other cell.
    ///
    /// Ignores the collection: an older version must also sync the chunks of collections that only
    /// a newer one knows.
    package init?(_ cell: Cell) { self.init(encoded: cell.encoded) }

    /// Decodes the value of a cell, like ``init(_:)-(Cell)``.
    init?(encoded: some Collection<UInt8>) {
        guard encoded.starts(with: Self.beginning), let value = try? Value(decoding: encoded)
        else { return nil }
        self.init(value)
    }

    /// The CBOR heads of a list of six items and of a byte string of 32 bytes.
    private static let beginning: [UInt8] = [0x86, 0x58, 0x20]

    package var value: Value {
        .list([
            .bytes(hash.bytes),
            .integer(Int64(byteCount)),
            .integer(Int64(sampleCount)),
            times.map { .integer($0.lowerBound.milliseconds) } ?? .null,
            times.map { .integer($0.upperBound.milliseconds) } ?? .null,
            box.map { .list([$0.south, $0.west, $0.north, $0.east].map { .integer(Int64($0)) }) }
                ?? .null,
        ])
    }

    /// Decodes a cell's value, or returns nil if it is not a chunk reference.
    package init?(_ value: Value) {
        guard let list = value.list, list.count == 6,
            let hash = list[0].bytes.flatMap({ Digest(bytes: $0) }),
            let byteCount = list[1].integer, (1...Int64(Chunk.byteLimit)).contains(byteCount),
            let sampleCount = list[2].integer, (1...Int64(Chunk.sampleLimit)).contains(sampleCount)
        else { return nil }
        self.hash = hash
        self.byteCount = Int(byteCount)
        self.sampleCount = Int(sampleCount)
        box = ChunkSummary.Box(list[5])
        if let first = list[3].integer, let last = list[4].integer, first <= last {
            times = UnixTime(milliseconds: first)...UnixTime(milliseconds: last)
        } else {
            times = nil
        }
    }

    /// Creates the reference to a new chunk that holds a piece of a file.
    package init(toFile chunk: [UInt8]) {
        (hash, byteCount, sampleCount) = (Digest(of: chunk), chunk.count, 1)
        (times, box) = (nil, nil)
    }

    /// Creates the reference to a new chunk of samples.
    package init(to bytes: [UInt8], _ summary: ChunkSummary) {
        (hash, byteCount, sampleCount) = (Digest(of: bytes), bytes.count, summary.sampleCount)
        (times, box) = (summary.times, summary.box)
    }
}

extension ChunkSummary.Box {
    fileprivate init?(_ value: Value) {
        guard let edges = value.list?.map({ $0.integer.flatMap(Int32.init(exactly:)) }),
            edges.count == 4, let south = edges[0], let west = edges[1], let north = edges[2],
            let east = edges[3]
        else { return nil }
        self.init(south: south, west: west, north: north, east: east)
    }
}
