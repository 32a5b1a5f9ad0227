internal import CZstd

/// Zstandard (RFC 8878) with a limit in bytes on what comes out, whatever a frame claims.
package enum Zstandard {
    /// One frame of `plain`, without a checksum: everything compressed here is named by a hash.
    package static func compress(_ plain: [UInt8], level: Int32 = 3) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(plain.count))
        let count = unsafe ZSTD_compress(&frame, frame.count, plain, plain.count, level)
        precondition(ZSTD_isError(count) == 0, "the buffer has the size of the bound")
        frame.removeSubrange(count...)
        return frame
    }

    /// The content of exactly one frame; nil when it is not one, or holds more than `byteLimit`.
    package static func decompress(_ frame: [UInt8], byteLimit: Int) -> [UInt8]? {
        let claimed = unsafe ZSTD_getFrameContentSize(frame, frame.count)
        let unknown = UInt64.max  // ZSTD_CONTENTSIZE_UNKNOWN; the error is one less
        guard claimed != unknown - 1,
            unsafe ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count
        else { return nil }
        guard claimed == unknown || claimed <= UInt64(byteLimit) else { return nil }
        let capacity = claimed == unknown ? byteLimit : Int(claimed)
        var plain = [UInt8](repeating: 0, count: capacity)
        let count = unsafe ZSTD_decompress(&plain, capacity, frame, frame.count)
        guard ZSTD_isError(count) == 0 else { return nil }
        plain.removeSubrange(count...)
        return plain
    }
}
