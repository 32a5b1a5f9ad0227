internal import SyncCore

/// Chunks by their SHA-256, and the list of wanted chunks.
///
/// A wanted chunk is one that the log names and the store lacks. Devices are asked for it until one
/// uploads it. Bodies of change sets are stored with their log entries, not here.
protocol ChunkStore: Sendable {
    /// Stores a chunk, whose hash the caller checked, and removes it from the wanted chunks.
    ///
    /// A stored chunk is not overwritten. Throws ``StoreError/forbidden`` for a viewer who brings one that
    /// is not wanted.
    func putChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        for device: Identifier
    ) async throws

    /// Returns a chunk's bytes.
    ///
    /// Throws ``StoreError/notFound`` if it is missing. Bytes that do not match the hash are
    /// deleted; the chunk then is missing and wanted.
    func chunk(_ hash: Digest, in space: Identifier, for device: Identifier?) async throws
        -> [UInt8]

    /// Marks a chunk as wanted, unless it is stored or ``StoreLimits/wantedByMembers`` are wanted.
    func want(_ hash: Digest, in space: Identifier, for device: Identifier) async throws

    /// Returns a space's wanted chunks in ascending order, or none for a non-member.
    func wantedChunks(of space: Identifier, for device: Identifier) async throws -> [Digest]

    /// Returns the given chunks that a space lacks, in the given order.
    func lacking(
        _ hashes: [Digest],
        in space: Identifier,
        for device: Identifier
    ) async throws -> [Digest]
}
