/// The outer shell of a chunk: one byte that names the encoding, and the body in it.
extension Chunk {
    private static let plain: UInt8 = 0
    private static let zstd: UInt8 = 1
    private static let file: UInt8 = 2

    /// Takes the shorter of the plain and the compressed form.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        let frame = Zstandard.compress(payload)
        return frame.count < payload.count ? [zstd] + frame : [plain] + payload
    }

    /// The payload, never more than ``payloadLimit`` bytes of it, whatever the frame says.
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

    /// How many bytes of payload a chunk says that it has, before any is decompressed; nil where it
    /// is none.
    package static func payloadByteCount(of chunk: [UInt8]) -> Int? {
        switch chunk.first {
        case plain: chunk.count - 1
        case zstd, file: Zstandard.statedByteCount(of: Array(chunk.dropFirst()))
        default: nil
        }
    }

    /// Packs the first bytes of a file, at most 1 MiB of them; returns how many they are.
    package static func pack(file bytes: ArraySlice<UInt8>) -> (count: Int, chunk: [UInt8]) {
        precondition(!bytes.isEmpty, "a piece of a file has at least one byte")
        var piece = bytes.prefix(payloadLimit)
        while true {
            let chunk = [file] + Zstandard.compress(Array(piece))
            // What does not compress needs a little more than its size.
            if chunk.count <= byteLimit { return (piece.count, chunk) }
            piece = piece.prefix(piece.count / 2)
        }
    }

    /// What a chunk holds.
    package enum Content {
        /// Samples of a track.
        case samples([Sample])
        /// A piece of the file that tracks came from.
        case file([UInt8])

        /// The samples; none of a file.
        var samples: [Sample] {
            if case .samples(let samples) = self { samples } else { [] }
        }
    }

    /// Reads a chunk of either kind from anywhere.
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
