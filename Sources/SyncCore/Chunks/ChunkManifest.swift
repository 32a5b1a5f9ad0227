/// A list of chunks that is too long for a header, which names its manifest in their place.
///
/// The content is deterministic CBOR: `[kind, [+ [hash, byte count]]]`, each chunk once, and none
/// of them a manifest. All chunks of the list are of one kind.
package struct ChunkManifest: Hashable, Sendable {
    package let kind: Chunk.Kind
    /// The chunks, in the order of what they hold.
    package let chunks: [ChunkName]

    /// The most chunks in a list.
    package static let chunkLimit = 4096

    /// Creates a list of 1 to ``chunkLimit`` different chunks of any kind but `manifest`.
    package init(_ kind: Chunk.Kind, _ chunks: [ChunkName]) {
        precondition(kind != .manifest, "a manifest lists no manifests")
        precondition(1...Self.chunkLimit ~= chunks.count, "a manifest has 1 to 4,096 chunks")
        (self.kind, self.chunks) = (kind, chunks)
    }

    /// Returns the chunk that holds the list.
    package var chunk: [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(2)
        encoder.unsigned(UInt64(kind.rawValue))
        encoder.array(chunks) { $1.encode(into: &$0) }
        return Chunk.encode(encoder.bytes, as: .manifest)
    }

    /// Decodes an untrusted chunk.
    package init(chunk: [UInt8]) throws(ChunkError) {
        self = try Chunk.read(chunk, as: .manifest) { try Self(from: &$0) }
    }

    private init(from decoder: inout CBORDecoder) throws {
        try decoder.array(count: 2)
        let number = UInt8(exactly: try decoder.unsigned())
        guard let kind = number.flatMap(Chunk.Kind.init), kind != .manifest
        else { throw ChunkError.malformed }
        self.kind = kind
        var chunks: [ChunkName] = []
        for _ in 0..<(try decoder.nonEmptyArray()) {
            let chunk = try ChunkName(from: &decoder)
            guard 1...Chunk.byteLimit ~= chunk.byteCount, chunks.count < Self.chunkLimit
            else { throw ChunkError.malformed }
            chunks.append(chunk)
        }
        guard Set(chunks.map(\.hash)).count == chunks.count else { throw ChunkError.malformed }
        self.chunks = chunks
    }
}
