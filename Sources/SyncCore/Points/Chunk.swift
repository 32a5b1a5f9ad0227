/// Packs samples column by column into the immutable bytes of a chunk, and unpacks them.
///
/// Numbers are `varint` (LEB128, seven bits a byte, least significant first, in the fewest bytes)
/// or one byte `u8`.
/// ```
/// chunk   = encoding:u8 body       0: body is a payload; 1: body is one zstd frame (RFC 8878)
///                                  that states its content size; its content is a payload; 2: such
///                                  a frame, and its content is a piece of a file, of 1 byte or more
/// payload = samples:varint         1 … 4,096
///           columns:varint
///           column × columns       strictly ascending by channel
/// column  = channel:varint         0 … 65,535, see ``Channel``
///           form:u8                order + 4 when a bitmap follows; order is 0, 1 or 2
///           bitmap?                ⌈samples / 8⌉ bytes, least significant bit first: which samples
///                                  have a reading. Only when some, not all, have one; padding 0
///           length:varint          bytes of the residuals
///           residual:varint × n    one for each sample that has a reading, zigzag: 0, -1, 1, -2, …
/// ```
/// A residual is the reading minus its prediction, modulo 2^64. Order 0 predicts 0. Order 1
/// predicts the previous reading, and 0 for the first. Order 2 adds the difference of the two
/// previous readings to that; the difference is 0 for the first and the second. The encoder uses
/// the order whose zigzag residuals have the fewest significant bits in total, and the lowest such
/// order on a tie. Samples therefore have exactly one payload, and a decoder rejects any other.
///
/// The encoder chooses whether and how well to compress the body. Limits: 256 KiB as sent, 1 MiB
/// for a payload or a piece of a file.
package enum Chunk {
    /// The most samples in a chunk.
    package static let sampleLimit = 4096
    /// The most bytes in a chunk as it is stored and sent.
    package static let byteLimit = 256 << 10
    /// The most bytes in a payload.
    package static let payloadLimit = 1 << 20

    /// Packs 1 to 4,096 samples.
    ///
    /// Noisy readings can exceed the byte limits; ``split(_:)`` then makes more chunks.
    package static func pack(_ samples: some Sequence<Sample>) -> [UInt8] {
        encode(payload(of: Samples(samples)))
    }

    /// Packs any number of samples into chunks, in order.
    ///
    /// A chunk starts with up to 4,096 samples; their number is halved until it fits the byte
    /// limits. A single sample is packed even if it exceeds them.
    package static func split(
        _ samples: some Sequence<Sample>
    ) -> [(samples: Samples, bytes: [UInt8])] {
        let samples = Samples(samples)
        var chunks: [(samples: Samples, bytes: [UInt8])] = []
        var rest = samples
        while !rest.isEmpty {
            var part = rest.prefix(sampleLimit)
            var bytes = packWithinLimits(part)
            while bytes == nil, part.count > 1 {
                part = part.prefix(part.count / 2)
                bytes = packWithinLimits(part)
            }
            chunks.append((part, bytes ?? pack(part)))
            rest = rest.dropFirst(part.count)
        }
        return chunks
    }

    /// Decodes an untrusted chunk of samples.
    package static func unpack(_ bytes: [UInt8]) throws(ChunkError) -> Samples {
        var reader = ChunkReader(try decode(bytes))
        let sampleCount = try reader.count(limit: sampleLimit)
        guard sampleCount > 0 else { throw .noSamples }
        // A column takes at least four bytes.
        let columnCount = try reader.count(limit: reader.remaining / 4)
        var columns: [Column] = []
        for _ in 0..<columnCount {
            let last = columns.last?.channel
            columns.append(try Column(from: &reader, sampleCount: sampleCount, after: last))
        }
        guard reader.remaining == 0 else { throw .trailingBytes(offset: reader.offset) }
        return Samples(columns: columns, count: sampleCount)
    }

    private static func packWithinLimits(_ samples: Samples) -> [UInt8]? {
        let payload = payload(of: samples)
        guard payload.count <= payloadLimit else { return nil }
        let bytes = encode(payload)
        return bytes.count <= byteLimit ? bytes : nil
    }

    /// Returns the payload, without the encoding byte.
    static func payload(of samples: Samples) -> [UInt8] {
        precondition(1...sampleLimit ~= samples.count, "a chunk has 1 to 4,096 samples")
        let columns = samples.presentColumns
        var payload = PayloadBytes()
        payload.append(varint: UInt64(samples.count))
        payload.append(varint: UInt64(columns.count))
        let range = samples.startIndex..<samples.endIndex
        for (column, places) in columns { column.encode(range, at: places, to: &payload) }
        return payload.bytes
    }
}

/// The reason why bytes are not a valid chunk.
package enum ChunkError: Error, Equatable {
    /// More bytes than a chunk may have, as sent or after decompression.
    case tooLarge
    /// The first byte names an unknown encoding, or the chunk is empty.
    case unknownEncoding(UInt8?)
    /// A piece of a file where samples were expected.
    case notSamples
    /// The body is not exactly one intact zstd frame that states its content size.
    case badCompression
    /// The payload ends early.
    case truncated(offset: Int)
    /// A count exceeds its limit.
    case tooMany(offset: Int)
    /// A chunk without samples, or an empty piece of a file.
    case noSamples
    /// Decodable, but not as the encoder writes it.
    case notCanonical(offset: Int)
    /// Bytes follow the last column.
    case trailingBytes(offset: Int)
}
