internal import CZstd

/// The outer shell of a chunk: one byte that names the encoding, and the body in it.
extension Chunk {
    private static let plain: UInt8 = 0
    private static let zstd: UInt8 = 1

    /// Level 19 saves 3 % of a data logger's recording, and packs at a fifth of the speed.
    private static let compressionLevel: Int32 = 3

    /// Takes the shorter of the plain and the compressed form.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        let capacity = payload.count
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: capacity + 1) {
            buffer,
            count in
            guard let start = buffer.baseAddress else { return }
            unsafe start.initialize(to: zstd)
            let written = unsafe ZSTD_compress(
                start + 1,
                capacity,
                payload,
                payload.count,
                compressionLevel
            )
            count = ZSTD_isError(written) == 0 ? written + 1 : 0
        }
        guard !compressed.isEmpty, compressed.count <= payload.count else {
            return [plain] + payload
        }
        return compressed
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

    private static func decompress(_ frame: [UInt8]) throws(ChunkError) -> [UInt8] {
        guard unsafe ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count else {
            throw .badCompression
        }
        // Unknown and wrong sizes are the two greatest numbers.
        let stated = unsafe ZSTD_getFrameContentSize(frame, frame.count)
        guard stated < UInt64.max - 1 else { throw .badCompression }
        guard stated <= UInt64(payloadLimit) else { throw .tooLarge }
        let size = Int(stated)
        let payload = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let written = unsafe ZSTD_decompress(buffer.baseAddress, size, frame, frame.count)
            count = ZSTD_isError(written) == 0 ? written : 0
        }
        guard payload.count == size, size > 0 else { throw .badCompression }
        return payload
    }
}
