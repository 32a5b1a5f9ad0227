/// Packs samples column by column, and unpacks them.
///
/// Numbers are `varint` (LEB128, seven bits a byte, least significant first, in the fewest bytes)
/// or one byte `u8`.
/// ```
/// content = samples:varint         1 … 4,096
///           columns:varint
///           column × columns       strictly ascending by channel
/// column  = channel:varint         0 … 65,535, see ``Channel``
///           form:u8                order + 4 when a bitmap follows; order is 0, 1 or 2
///           bitmap?                ⌈samples / 8⌉ bytes, least significant bit first: which samples
///                                  have a reading. Only when some, not all, have one; padding 0
///           length:varint          bytes of the planes
///           plane × planes         of the residuals of the samples that have a reading
/// ```
/// A residual is a varint of its zigzag number: 0, -1, 1, -2, …. Plane 0 has the first byte of each
/// residual, plane 1 the second byte of each that has one, and so on: the first bytes are noise,
/// the others hardly vary. A column or a plane begins a new block of compression if the block before
/// it has at least 512 bytes.
///
/// A residual is the reading minus its prediction, modulo 2^64. Order 0 predicts 0. Order 1
/// predicts the previous reading, and 0 for the first. Order 2 adds the difference of the two
/// previous readings to that; the difference is 0 for the first and the second. The encoder uses
/// the order whose zigzag residuals have the fewest significant bits in total, and the lowest such
/// order on a tie. Samples therefore have exactly one content, and a decoder rejects any other.
extension Chunk {
    /// The most samples in a chunk.
    package static let sampleLimit = 4096

    /// Packs 1 to 4,096 samples.
    ///
    /// Noisy readings can exceed the byte limits; ``split(_:)`` then makes more chunks.
    package static func pack(_ samples: some Sequence<Sample>) -> [UInt8] {
        encode(content(of: Samples(samples)))
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
        var reader = ChunkReader(try decode(bytes, as: .samples))
        let sampleCount = try reader.count(limit: sampleLimit)
        guard sampleCount > 0 else { throw .noContent }
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
        let content = content(of: samples)
        guard content.bytes.count <= contentLimit else { return nil }
        let bytes = encode(content)
        return bytes.count <= byteLimit ? bytes : nil
    }

    /// Returns the content of a chunk of samples, without the first byte.
    static func content(of samples: Samples) -> ContentBytes {
        precondition(1...sampleLimit ~= samples.count, "a chunk has 1 to 4,096 samples")
        let columns = samples.presentColumns
        var content = ContentBytes()
        content.append(varint: UInt64(samples.count))
        content.append(varint: UInt64(columns.count))
        let range = samples.startIndex..<samples.endIndex
        for (column, places) in columns {
            content.beginBlock()
            column.encode(range, at: places, to: &content)
        }
        return content
    }

    private static func encode(_ content: ContentBytes) -> [UInt8] {
        encode(content.bytes, as: .samples, blocksFrom: content.blocks)
    }
}
