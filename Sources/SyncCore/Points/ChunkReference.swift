/// What a cell says of the chunk that it names, so that a list of tracks is complete
/// before the points themselves have arrived.
///
/// The value is the list `[hash, byte count, sample count, first time, last time, box]`: times in
/// Unix milliseconds or null, box `[south, west, north, east]` in 1e-7 degrees or null;
/// west is greater than east in a box that spans the antimeridian.
package struct ChunkReference: Hashable, Sendable {
    /// The SHA-256 of the chunk's bytes.
    package let hash: Digest
    /// How many bytes the chunk has.
    package let byteCount: Int
    /// How many samples it holds, 1 to 4,096; a piece of a file counts as one.
    package let sampleCount: Int
    /// The times of its earliest and latest sample, nil where no sample has one.
    package let times: ClosedRange<UnixTime>?
    /// Where its points lie, nil where it has none.
    package let box: ChunkSummary.Box?
}

extension ChunkReference {
    /// Reads a cell that refers to a chunk, nil for any other.
    ///
    /// The collection does not matter: an older program brings along the chunks of a newer one.
    package init?(_ cell: Cell) {
        guard cell.encoded.starts(with: Self.beginning) else { return nil }
        self.init(cell.value)
    }

    /// A list of six whose first is 32 bytes long.
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

    /// Reads a cell's value; nil where it is not a chunk reference.
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

    /// What there is to say of a piece of a file that was just made.
    package init(toFile chunk: [UInt8]) {
        hash = Digest(of: chunk)
        byteCount = chunk.count
        sampleCount = 1
        (times, box) = (nil, nil)
    }

    /// What there is to say of a chunk that was just made.
    package init(to bytes: [UInt8], _ summary: ChunkSummary) {
        hash = Digest(of: bytes)
        byteCount = bytes.count
        sampleCount = summary.sampleCount
        box = summary.box
        times = summary.times
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
