internal import SyncCore

/// One unchanging state of a store, read part by part.
protocol StoreSnapshot {
    /// What the database finds wrong with its own files, in its words; the rest can be read only
    /// where this is empty.
    func structureFaults() throws -> [String]
    /// The number of log entries and chunks.
    func itemCount() throws -> Int
    /// Every space with its own word on its log's end, ascending by id.
    func spaces() throws -> [SpaceExtent]
    /// Spaces of log entries that are no spaces.
    func straySpaces() throws -> [Identifier]
    /// The heads of a space's replicas.
    func heads(of space: Identifier) throws -> [Identifier: ReplicaState]
    /// Reads a space's log in the order of positions.
    func eachEntry(of space: Identifier, _ body: (LogRow) throws -> Void) throws
    /// Whether a chunk is stored, whatever its bytes are.
    func hasChunk(_ chunk: ChunkPlace) throws -> Bool
    /// Reads every chunk.
    func eachChunk(_ body: (ChunkPlace, [UInt8]) throws -> Void) throws
    /// Every chunk that is wanted.
    func wantedChunks() throws -> Set<ChunkPlace>
    /// The devices that were ever revoked.
    func revocations() throws -> Set<Identifier>
    /// Those of them that are let in all the same.
    func revocationsNotInForce() throws -> Set<Identifier>
    /// For each space with entries, when it was in a verified backup last.
    func backupTimes() throws -> [UnixTime?]
}

/// How far the log of a space goes.
struct SpaceExtent: Hashable, Sendable {
    let space: Identifier
    /// Its last position.
    let head: UInt64
    /// The chain hash there.
    let chain: Digest
    /// The last position up to which every chunk that is named is stored, where that is known.
    var whole: UInt64?
}

/// One row of a store's log.
struct LogRow: Sendable {
    let position: UInt64
    let replica: Identifier
    let sequence: UInt64
    let hash: Digest
    /// Nil for a number that stands for no verdict.
    let verdict: Verdict?
    let receipt: [UInt8]
    let chain: Digest
    /// Nil where another set is adopted.
    let upload: [UInt8]?
    let body: [UInt8]?
    /// The device that adopted the set.
    let admin: Identifier?

    func name(in space: Identifier) -> SetName {
        SetName(space: space, replica: replica, sequence: sequence, hash: hash)
    }
}

/// A chunk's place in a store.
struct ChunkPlace: Hashable, Sendable {
    let space: Identifier
    let hash: Digest
}
