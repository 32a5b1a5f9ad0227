/// A reference to a chunk, as a cell stores it.
///
/// The value is the list `[hash, byte count, kind]` or `[hash, byte count, kind, summary]`. A
/// reference to samples has a ``ChunkSummary``, so that a replica can list tracks before it has
/// their samples.
package struct ChunkReference: Hashable, Sendable {
    /// The SHA-256 of the chunk's bytes.
    package let hash: Digest
    /// 1 byte to 256 KiB.
    package let byteCount: Int
    package let kind: Chunk.Kind
    /// What the author says of the samples; nil for other kinds.
    package let summary: ChunkSummary?

    /// The number of samples, 0 for other kinds.
    package var sampleCount: Int { summary?.bounds.sampleCount ?? 0 }
}

extension ChunkReference {
    /// Decodes a cell that refers to a chunk, or returns nil for any other cell.
    ///
    /// Ignores the collection, and whatever follows the kind: an older version must also sync the
    /// chunks that only a newer one knows.
    package init?(_ cell: Cell) { self.init(encoded: cell.encoded) }

    /// Decodes the value of a cell, like ``init(_:)-(Cell)``.
    init?(encoded: some Collection<UInt8>) {
        guard Self.beginnings.contains(where: encoded.starts),
            let value = try? Value(decoding: encoded)
        else { return nil }
        self.init(value)
    }

    /// The CBOR heads of a list of three or four items and of a byte string of 32 bytes.
    private static let beginnings: [[UInt8]] = [[0x83, 0x58, 0x20], [0x84, 0x58, 0x20]]

    package var value: Value {
        let name: [Value] = [
            .bytes(hash.bytes), .integer(Int64(byteCount)), .integer(Int64(kind.rawValue)),
        ]
        return .list(name + (summary.map { [$0.value] } ?? []))
    }

    /// Decodes a cell's value, or returns nil if it is not a chunk reference.
    package init?(_ value: Value) {
        guard let list = value.list, 3...4 ~= list.count,
            let hash = list[0].bytes.flatMap({ Digest(bytes: $0) }),
            let byteCount = list[1].integer, (1...Int64(Chunk.byteLimit)).contains(byteCount),
            let kind = list[2].integer.flatMap(UInt8.init(exactly:)).flatMap(Chunk.Kind.init)
        else { return nil }
        (self.hash, self.byteCount, self.kind) = (hash, Int(byteCount), kind)
        summary = kind == .samples && list.count == 4 ? ChunkSummary(list[3]) : nil
    }

    /// Creates the reference to a new chunk that holds a piece of a file.
    package init(toFile chunk: [UInt8]) {
        (hash, byteCount) = (Digest(of: chunk), chunk.count)
        (kind, summary) = (.file, nil)
    }

    /// Creates the reference to a new chunk of samples.
    package init(to bytes: [UInt8], _ summary: ChunkSummary) {
        (hash, byteCount) = (Digest(of: bytes), bytes.count)
        (kind, self.summary) = (.samples, summary)
    }
}
