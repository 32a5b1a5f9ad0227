internal import CZstd

/// Zstandard (RFC 8878) with a limit in bytes on what comes out, whatever a frame claims.
package enum Zstandard {
    /// One frame of `plain` that states its size; no checksum, for all that is compressed here is
    /// named by a hash.
    ///
    /// Level 19 saves 3 % of a data logger's recording, and packs at a fifth of the speed.
    package static func compress(_ plain: [UInt8], level: Int32 = 3) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(plain.count))
        let count = unsafe czstd_compress(&frame, frame.count, plain, plain.count, level)
        precondition(ZSTD_isError(count) == 0, "the buffer has the size of the bound")
        frame.removeSubrange(count...)
        return frame
    }

    /// How many bytes a frame says that it holds; nil where it does not, or is none.
    package static func statedByteCount(of frame: [UInt8]) -> Int? {
        // Unknown and wrong sizes are the two greatest numbers.
        let stated = unsafe ZSTD_getFrameContentSize(frame, frame.count)
        return stated < UInt64.max - 1 ? Int(clamping: stated) : nil
    }

    /// The content of exactly one frame that states its size, and nothing after it.
    package static func decompress(
        _ frame: [UInt8],
        byteLimit: Int
    ) throws(ZstandardError) -> [UInt8] {
        guard unsafe ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count else {
            throw .damaged
        }
        guard let stated = statedByteCount(of: frame) else { throw .damaged }
        guard stated <= byteLimit else { throw .tooLarge }
        var plain = [UInt8](repeating: 0, count: stated)
        let count = unsafe czstd_decompress(&plain, plain.count, frame, frame.count)
        guard count == plain.count else { throw .damaged }
        return plain
    }
}

/// Why bytes cannot be decompressed.
package enum ZstandardError: Error, Equatable {
    /// Not one whole frame that states its size.
    case damaged
    /// More comes out than the limit allows.
    case tooLarge
}
