/// The outer layer of a chunk: a byte that names the encoding, then the encoded body.
extension Chunk {
    private static let plain: UInt8 = 0
    private static let zstd: UInt8 = 1
    private static let file: UInt8 = 2

    /// Returns the shorter of the plain and the compressed encoding.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        let frame = Zstandard.compress(payload)
        return frame.count < payload.count ? [zstd] + frame : [plain] + payload
    }

    /// Returns the payload of a chunk of samples, at most ``payloadLimit`` bytes.
    static func decode(_ bytes: [UInt8]) throws(ChunkError) -> [UInt8] {
        guard bytes.count <= byteLimit else { throw .tooLarge }
        let body = Array(bytes.dropFirst())
        switch bytes.first {
        case plain: return body
        case zstd: return try decompress(body)
        case file: throw .notSamples
        case let encoding: throw .unknownEncoding(encoding)
        }
    }

    /// Returns the body's size after decompression, as the chunk states it.
    ///
    /// Decompresses nothing. Returns nil if the encoding is unknown or the frame states no size.
    package static func payloadByteCount(of chunk: [UInt8]) -> Int? {
        switch chunk.first {
        case plain: chunk.count - 1
        case zstd, file: Zstandard.statedByteCount(of: Array(chunk.dropFirst()))
        default: nil
        }
    }

    /// The most bytes in a piece of a file: 240 KiB.
    ///
    /// Even incompressible bytes then stay below ``byteLimit``.
    package static let filePieceSize = 240 << 10

    /// Packs a piece of a file, of 1 byte to ``filePieceSize``.
    package static func pack(file piece: [UInt8]) -> [UInt8] {
        precondition(1...filePieceSize ~= piece.count, "a piece of a file fits a chunk")
        return [file] + Zstandard.compress(piece)
    }

    /// The content of a chunk.
    package enum Content {
        case samples(Samples)
        /// A piece of the original file that tracks were imported from.
        case file([UInt8])

        /// The samples, or an empty array for a piece of a file.
        var samples: Samples {
            if case .samples(let samples) = self { samples } else { [] }
        }

        var isFile: Bool {
            if case .file = self { true } else { false }
        }
    }

    /// Decodes an untrusted chunk of either kind.
    package static func content(of bytes: [UInt8]) throws(ChunkError) -> Content {
        guard bytes.first == file else { return .samples(try unpack(bytes)) }
        guard bytes.count <= byteLimit else { throw .tooLarge }
        let piece = try decompress(Array(bytes.dropFirst()))
        guard !piece.isEmpty else { throw .noSamples }
        return .file(piece)
    }

    private static func decompress(_ frame: [UInt8]) throws(ChunkError) -> [UInt8] {
        do {
            return try Zstandard.decompress(frame, byteLimit: payloadLimit)
        } catch {
            throw error == .tooLarge ? .tooLarge : .badCompression
        }
    }
}
