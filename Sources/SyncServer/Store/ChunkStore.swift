internal import SyncCore

/// Chunks by their SHA-256, and which of them are wanted.
///
/// A wanted chunk is one that the log names and that is missing: devices are asked for it until one
/// brings it. The bodies of sets are part of their log entries.
protocol ChunkStore: Sendable {
    /// Stores a chunk whose hash the caller checked; it is wanted no more.
    ///
    /// A chunk that is stored keeps its bytes. Throws ``StoreError/forbidden`` for a viewer.
    func putChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws

    /// Returns a chunk's bytes.
    ///
    /// Throws ``StoreError/notFound`` where it is missing. Bytes with another hash are dropped, the
    /// chunk is wanted, and it is missing from then on.
    func chunk(
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws -> [UInt8]

    /// Wants a chunk, unless it is stored or ``StoreLimits/wantedByMembers`` are wanted already.
    func want(_ hash: Digest, in space: Identifier, for user: Identifier) async throws

    /// Returns the wanted chunks of a space, ascending; none for who is no member.
    func wantedChunks(of space: Identifier, for user: Identifier) async throws -> [Digest]

    /// Returns those of some chunks that a space lacks, in their order.
    func lacking(
        _ hashes: [Digest],
        in space: Identifier,
        for user: Identifier
    ) async throws -> [Digest]
}
