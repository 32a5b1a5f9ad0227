/// The limits that every reader enforces and the server advertises (`wire-format.cddl`).
package enum Limits {
    /// A header as signed: bounds what a chain costs to keep.
    package static let headerByteLimit = 4 * 1024
    /// A body as sent.
    package static let bodyByteLimit = 256 * 1024
    /// A body when decompressed.
    package static let decodedBodyByteLimit = 1024 * 1024
    /// Cells in one body.
    package static let cellLimit = 4096
    /// Bytes of one text.
    package static let textByteLimit = CBORDecoder.textByteLimit
    /// Bytes of one request.
    package static let requestByteLimit = 8 * 1024 * 1024
    /// Change sets in one request.
    package static let setLimit = 1000
    /// Arrays and maps around a value in a body: the list, its group, its cells, its cell.
    package static let bodyDepth = 4
    /// Chunks that one set refers to, so that its header keeps within its limit.
    package static let chunkReferenceLimit = 64
    /// Chunk bytes that travel with one set, so that every set fits a request.
    package static let chunkByteLimit = 4 * 1024 * 1024
    /// What may come out of the chunks of one request: as much as out of those of any one set.
    package static let decodedChunkByteLimit = chunkReferenceLimit * Chunk.payloadLimit
}
