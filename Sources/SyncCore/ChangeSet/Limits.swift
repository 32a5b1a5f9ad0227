/// The limits of the format (`wire-format.cddl`).
///
/// Every reader enforces them, and the server advertises them.
package enum Limits {
    /// Bytes of a signed header; limits the storage that a chain needs.
    package static let headerByteLimit = 4 * 1024
    /// Bytes of a body as sent.
    package static let bodyByteLimit = 1024 * 1024
    /// Bytes of a decompressed body.
    package static let decodedBodyByteLimit = 1024 * 1024
    package static let cellLimit = 32_768
    package static let textByteLimit = CBORDecoder.textByteLimit
    package static let requestByteLimit = 8 * 1024 * 1024
    package static let setLimit = 1000
    /// The entries of the log in one request for them, and the missing bodies in one reply.
    package static let entryLimit = 64
    /// The nesting depth of a value in a body: columns, values, values of a field.
    package static let bodyDepth = 3
    /// Chunks that one set may name, so that its header stays within its limit.
    package static let chunkReferenceLimit = 64
    /// Bytes of the chunks of one set, so that every set fits a request.
    package static let chunkByteLimit = 4 * 1024 * 1024
    /// Decompressed bytes of all chunks of one request: the maximum of a single set.
    package static let decodedChunkByteLimit = chunkReferenceLimit * Chunk.contentLimit
}
