/// The outer shell of a chunk: one byte that names the encoding, and the body in it.
extension Chunk {
    private static let plain: UInt8 = 0
    private static let zstd: UInt8 = 1

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
        case let encoding: throw .unknownEncoding(encoding)
        }
    }

    /// How many bytes of payload a chunk says that it has, before any is decompressed; nil where it
    /// is none.
    package static func payloadByteCount(of chunk: [UInt8]) -> Int? {
        switch chunk.first {
        case plain: chunk.count - 1
        case zstd: Zstandard.statedByteCount(of: Array(chunk.dropFirst()))
        default: nil
        }
    }

    private static func decompress(_ frame: [UInt8]) throws(ChunkError) -> [UInt8] {
        do {
            return try Zstandard.decompress(frame, byteLimit: payloadLimit)
        } catch {
            throw error == .tooLarge ? .tooLarge : .badCompression
        }
    }
}
