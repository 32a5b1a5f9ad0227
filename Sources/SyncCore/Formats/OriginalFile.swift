/// The file that tracks came from, in chunks as it is kept.
package struct OriginalFile: Sendable {
    /// What it was called, without folders; empty where it had no name.
    package let name: String
    /// The SHA-256 of its bytes.
    package let digest: Digest
    /// How many bytes it has.
    package let byteCount: Int
    /// Its pieces in order, and where each begins.
    package let pieces: [(offset: Int, chunk: [UInt8])]
}

/// Packs a file as it is read.
package struct OriginalPacker: Sendable {
    /// The most that is kept of one file, as it is packed.
    package static let byteLimit = 64 << 20

    private var open: [UInt8] = []
    private var byteCount = 0
    private var packedCount = 0
    private var pieces: [(offset: Int, chunk: [UInt8])] = []

    /// Nothing yet.
    package init() {}

    /// Whether there was too much, and nothing is kept.
    package var isTooLarge: Bool { packedCount > Self.byteLimit }

    /// Takes the next bytes.
    package mutating func add(_ bytes: [UInt8]) {
        byteCount += bytes.count
        guard !isTooLarge else { return }
        open += bytes
        while open.count >= Chunk.payloadLimit { pack() }
    }

    /// The whole file; nil where it has no bytes, or too many.
    package mutating func finish(name: String, digest: Digest) -> OriginalFile? {
        while !open.isEmpty { pack() }
        guard !isTooLarge, byteCount > 0 else { return nil }
        return OriginalFile(name: name, digest: digest, byteCount: byteCount, pieces: pieces)
    }

    private mutating func pack() {
        let (count, chunk) = Chunk.pack(file: open[...])
        pieces.append((byteCount - open.count, chunk))
        packedCount += chunk.count
        open.removeFirst(count)
        if isTooLarge { (open, pieces) = ([], []) }
    }
}
