internal import SyncCore

/// What the operator and the server's own tools ask of a store.
protocol StoreMaintenance: Sendable {
    /// The incarnation of this server's history: another one after every restore.
    var epoch: Identifier { get }

    /// Yields the error after which the store writes no more, once: nobody can tell what of that
    /// write became durable.
    var failures: AsyncStream<any Error> { get }

    /// Whether the disk had no room for the reserve when the store was opened.
    var isWithoutReserve: Bool { get }

    /// Checks that sets and chunks can be stored now; throws what storing them would.
    func checkWritable(at now: UnixTime) async throws

    /// Returns how large the store is and how much it wrote.
    func statistics() async throws -> StoreStatistics

    /// Calls `body` with one unchanging state of everything; `body` may take long.
    func readSnapshot<Value: Sendable>(
        _ body: @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value

    /// Writes everything into a new ``BackupFile``, while devices go on writing.
    ///
    /// Throws ``CopyError`` where the store is sound and its copy could not be written.
    func copy(to path: String) async throws

    /// Notes up to where each space is in a verified backup of an epoch.
    ///
    /// Nothing happens where the store is of another epoch by now.
    func noteBackup(
        of spaces: [SpaceExtent],
        epoch: Identifier,
        at time: UnixTime
    ) async throws

    /// Drops chunks whose bytes have another hash, and wants them.
    func dropChunks(_ chunks: [ChunkPlace]) async throws

    /// Wants chunks, up to ``StoreLimits/wantedChunks`` a space.
    func wantChunks(_ chunks: [ChunkPlace]) async throws
}

/// How large a store is and how much it wrote since it was opened.
struct StoreStatistics: Hashable, Sendable {
    /// The bytes of everything.
    let byteCount: Int64
    /// Writes that were asked for, and commits that they took: their ratio is what group commit
    /// saves.
    let writeCount: Int
    let commitCount: Int
}

/// Why a sound store could not be copied.
struct CopyError: Error {
    let reason: DatabaseError
}
