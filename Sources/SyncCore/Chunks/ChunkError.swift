/// The reason why bytes are not a valid chunk.
package enum ChunkError: Error, Equatable {
    /// More bytes than a chunk may have, as sent or after decompression.
    case tooLarge
    /// The first byte names an unknown kind or encoding, or the chunk is empty.
    case unknownEncoding(UInt8?)
    /// A chunk of another kind than expected.
    case otherKind(Chunk.Kind)
    /// The body is not exactly one intact zstd frame that states its content size.
    case badCompression
    /// The content ends early.
    case truncated(offset: Int)
    /// A count exceeds its limit.
    case tooMany(offset: Int)
    /// A chunk without samples, or an empty piece of a file.
    case noContent
    /// Decodable, but not as the encoder writes it.
    case notCanonical(offset: Int)
    /// Bytes follow the last column.
    case trailingBytes(offset: Int)
    /// A manifest, wraps or rows that break a rule of their form.
    case malformed
}
