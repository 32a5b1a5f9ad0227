internal import SyncCore

/// The operations that the operator and the server's own tools need.
protocol StoreMaintenance: Sendable {
    /// The incarnation of this server's history; each restore begins a new one, and so does each loss
    /// that is detected.
    var epoch: Identifier { get }

    /// Yields at most one error, after which the store writes nothing more.
    ///
    /// After such an error it is unknown which part of the write became durable.
    var failures: AsyncStream<any Error> { get }
    /// Yields sentences for the operator, such as that a flipped bit was put right.
    var notices: AsyncStream<String> { get }

    /// Whether the disk had no room for the reserve when the store was opened.
    var isWithoutReserve: Bool { get }

    /// Checks that sets and chunks can be stored now, and throws the error that storing them would.
    func checkWritable(at now: UnixTime) async throws

    func statistics() async throws -> StoreStatistics

    /// Calls `body` with one unchanging state of the whole store; `body` may take long.
    func readSnapshot<Value: Sendable>(
        _ body: @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value

    /// Writes a copy of the whole store to a new ``BackupFile``; devices can write meanwhile.
    ///
    /// Throws ``CopyError`` if the store is sound but its copy could not be written.
    func copy(to path: String) async throws

    /// Records the last position of each space in a verified backup of an epoch.
    ///
    /// Does nothing if the store's epoch has changed since.
    func noteBackup(of spaces: [SpaceExtent], epoch: Identifier, at time: UnixTime) async throws

    /// Rebuilds all indexes of the store from its tables.
    ///
    /// Returns false, and changes nothing, if an index has more entries than its table has rows: the
    /// index is then the only sign of the lost ones.
    func rebuildIndexes() async throws -> Bool

    /// Repairs damaged entries of all logs as far as the rest of the log proves what they were, and
    /// deletes damaged sets and bodies, so that devices are asked for them.
    ///
    /// Returns how many entries were changed.
    func repairLogs() async throws -> Int

    /// Reads damaged records of the replicas' newest sets again from the log.
    ///
    /// Returns how many there were.
    func restoreHeads() async throws -> Int
    /// Writes pages in which a flipped bit was put right, and all pages if some have more damage.
    func rewriteFaultyPages() async throws

    /// Deletes chunks whose bytes do not match their hash, and marks them as wanted.
    func dropChunks(_ chunks: [ChunkPlace]) async throws

    /// Lets a space take new control sets although lost ones have not come back.
    ///
    /// Throws ``StoreError/notFound`` for an unknown space.
    func releaseControls(of space: Identifier) async throws

    /// Marks chunks as wanted, up to ``StoreLimits/wantedChunks`` per space.
    func wantChunks(_ chunks: [ChunkPlace]) async throws
}

/// The size of a store and its writes since it was opened.
struct StoreStatistics: Hashable, Sendable {
    let byteCount: Int64
    /// Requested writes, and the commits that they took: their ratio is the gain from group commit.
    let writeCount: Int
    let commitCount: Int
}

/// A sound store whose copy could not be written.
struct CopyError: Error {
    let reason: DatabaseError
}
