/// Packs a file into chunks while it is read.
package struct OriginalPacker: Sendable {
    /// The most packed bytes that are kept of one file.
    package static let byteLimit = 64 << 20

    private var open: [UInt8] = []
    private var byteCount = 0
    private var packedCount = 0
    private var pieces: [(offset: Int, chunk: [UInt8])] = []

    package init() {}

    /// Whether the file exceeded ``byteLimit``, so nothing is kept.
    package var isTooLarge: Bool { packedCount > Self.byteLimit }

    package mutating func add(_ bytes: [UInt8]) {
        byteCount += bytes.count
        guard !isTooLarge else { return }
        open += bytes
        var rest = open[...]
        while rest.count >= Chunk.filePieceSize { pack(&rest) }
        open = Array(rest)
    }

    /// Returns the packed file, or nil if it is empty or too large.
    package mutating func finish(name: String, digest: Digest) -> OriginalFile? {
        var rest = open[...]
        if !rest.isEmpty { pack(&rest) }
        guard !isTooLarge, byteCount > 0 else { return nil }
        return OriginalFile(name: name, digest: digest, byteCount: byteCount, pieces: pieces)
    }

    private mutating func pack(_ rest: inout ArraySlice<UInt8>) {
        let piece = Array(rest.prefix(Chunk.filePieceSize))
        let chunk = Chunk.pack(file: piece)
        pieces.append((byteCount - rest.count, chunk))
        packedCount += chunk.count
        rest = isTooLarge ? [] : rest.dropFirst(piece.count)
        if isTooLarge { pieces = [] }
    }
}
