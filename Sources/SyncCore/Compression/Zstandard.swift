internal import CZstd

/// Zstandard (RFC 8878) with a limit on the decompressed size, whatever the frame states.
package enum Zstandard {
    /// Compresses to a single frame that states its content size.
    ///
    /// The frame has no checksum, because everything compressed here is named by a hash. Level 19
    /// saves 3 % on a data logger's recording but compresses at a fifth of the speed.
    package static func compress(_ plain: [UInt8], level: Int32 = 3) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(plain.count))
        let count = unsafe czstd_compress(&frame, frame.count, plain, plain.count, level)
        precondition(ZSTD_isError(count) == 0, "the buffer has the size of the bound")
        frame.removeSubrange(count...)
        return frame
    }

    /// Compresses like ``compress(_:level:)``, with a new block at each of `starts`.
    ///
    /// The starts ascend and lie inside `plain`. A block has its own entropy tables: worthwhile
    /// where columns of different kinds meet.
    package static func compress(
        _ plain: [UInt8],
        blocksFrom starts: [Int],
        level: Int32 = 3
    ) -> [UInt8] {
        let room = ZSTD_compressBound(plain.count) + 16 * starts.count
        var frame = [UInt8](repeating: 0, count: room)
        let count = unsafe czstd_compress_blocks(
            &frame,
            frame.count,
            plain,
            plain.count,
            starts,
            starts.count,
            level
        )
        precondition(ZSTD_isError(count) == 0, "the buffer has the size of the bound")
        frame.removeSubrange(count...)
        return frame
    }

    /// Returns the content size that a frame states, or nil if it states none or is not a frame.
    package static func statedByteCount(of frame: [UInt8]) -> Int? {
        // zstd reports unknown sizes and errors as the two greatest numbers.
        let stated = unsafe ZSTD_getFrameContentSize(frame, frame.count)
        return stated < UInt64.max - 1 ? Int(clamping: stated) : nil
    }

    /// Decompresses exactly one frame that states its size.
    ///
    /// Throws if bytes follow the frame or the stated size exceeds `byteLimit`.
    package static func decompress(
        _ frame: [UInt8],
        byteLimit: Int
    ) throws(ZstandardError) -> [UInt8] {
        guard unsafe ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count
        else { throw .damaged }
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
    /// Not exactly one intact frame that states its size.
    case damaged
    /// The stated size exceeds the limit.
    case tooLarge
}
