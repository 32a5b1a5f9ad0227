/// Immutable bytes that are named by their SHA-256 and transferred beside the cells that name them.
///
/// ```
/// chunk = head:u8 body     head: 16 × kind + encoding; see ``Kind``
///                          encoding 0: body is the content; 1: body is one zstd frame (RFC 8878)
///                          that states its content size, and decompresses to the content
/// ```
/// The encoder chooses whether and how well to compress. Limits of every kind: 256 KiB as sent,
/// 1 MiB for the content. Each kind has limits of its own besides.
package enum Chunk {
    /// The most bytes in a chunk as it is stored and sent.
    package static let byteLimit = 256 << 10
    /// The most bytes in a chunk's content.
    package static let contentLimit = 1 << 20

    private static let plain: UInt8 = 0
    private static let zstd: UInt8 = 1

    /// Returns the shorter of the plain and the compressed encoding.
    ///
    /// - Parameter blocks: the offsets in the content at which compression begins a new block.
    static func encode(
        _ content: [UInt8],
        as kind: Kind,
        blocksFrom blocks: [Int] = []
    ) -> [UInt8] {
        let frame = Zstandard.compress(content, blocksFrom: blocks)
        let isPlain = frame.count >= content.count
        return [kind.rawValue << 4 | (isPlain ? plain : zstd)] + (isPlain ? content : frame)
    }

    /// Returns the content of an untrusted chunk of a kind, at most ``contentLimit`` bytes.
    static func decode(_ bytes: [UInt8], as kind: Kind) throws(ChunkError) -> [UInt8] {
        guard bytes.count <= byteLimit else { throw .tooLarge }
        guard let stated = self.kind(of: bytes) else { throw .unknownEncoding(bytes.first) }
        guard stated == kind else { throw .otherKind(stated) }
        let body = Array(bytes.dropFirst())
        switch encoding(of: bytes) {
        case plain: return body
        case zstd: return try decompress(body)
        default: throw .unknownEncoding(bytes.first)
        }
    }

    /// Reads the content of an untrusted chunk as one item of CBOR.
    ///
    /// Throws ``ChunkError/malformed`` for any error of `read`, and for bytes after the item.
    static func read<Item>(
        _ bytes: [UInt8],
        as kind: Kind,
        _ read: (inout CBORDecoder) throws -> Item
    ) throws(ChunkError) -> Item {
        var decoder = CBORDecoder(try decode(bytes, as: kind))
        do {
            let item = try read(&decoder)
            try decoder.finish()
            return item
        } catch {
            throw .malformed
        }
    }

    /// Returns the kind that a chunk states, or nil if its first byte states none.
    package static func kind(of chunk: [UInt8]) -> Kind? {
        chunk.first.flatMap { Kind(rawValue: $0 >> 4) }
    }

    private static func encoding(of chunk: [UInt8]) -> UInt8? { chunk.first.map { $0 & 0x0f } }

    /// Returns the size of the content, as the chunk states it.
    ///
    /// Decompresses nothing. Returns nil if the encoding is unknown or the frame states no size,
    /// and 0 for an unknown kind, which nobody decodes.
    package static func contentByteCount(of chunk: [UInt8]) -> Int? {
        if let kind = kind(of: chunk), !kind.isKnown { return 0 }
        return switch encoding(of: chunk) {
        case plain: chunk.count - 1
        case zstd: Zstandard.statedByteCount(of: Array(chunk.dropFirst()))
        default: nil
        }
    }

    private static func decompress(_ frame: [UInt8]) throws(ChunkError) -> [UInt8] {
        do {
            return try Zstandard.decompress(frame, byteLimit: contentLimit)
        } catch {
            throw error == .tooLarge ? .tooLarge : .badCompression
        }
    }
}

/// Pieces of files.
extension Chunk {
    /// The most bytes in a piece of a file as Wake packs it: 240 KiB.
    ///
    /// Even incompressible bytes then stay below ``byteLimit``.
    package static let filePieceSize = 240 << 10

    /// Packs a piece of a file, of 1 byte to ``filePieceSize``.
    package static func pack(file piece: [UInt8]) -> [UInt8] {
        precondition(1...filePieceSize ~= piece.count, "a piece of a file fits a chunk")
        return encode(piece, as: .file)
    }

    /// Returns the piece of a file that an untrusted chunk holds.
    package static func file(in bytes: [UInt8]) throws(ChunkError) -> [UInt8] {
        let piece = try decode(bytes, as: .file)
        guard !piece.isEmpty else { throw .noContent }
        return piece
    }
}
