internal import SyncCore

/// One unchanging state of a store, read part by part.
protocol StoreSnapshot {
    /// Returns the faults that the database reports in its own files.
    ///
    /// The other methods work only if there are none.
    func structureFaults() throws -> [String]
    /// Reads each page of the files; returns those in which a flipped bit was put right, and those with
    /// more damage.
    ///
    /// Nil if the pages have no checksums.
    func faultyPages() throws -> (corrected: FaultyPages, damaged: FaultyPages)?
    /// Returns the number of log entries plus the number of chunks.
    func itemCount() throws -> Int
    /// Returns every space with its recorded log end, ascending by id.
    func spaces() throws -> [SpaceExtent]
    /// Returns the space ids of log entries that belong to no known space.
    func straySpaces() throws -> [Identifier]
    func heads(of space: Identifier) throws -> [HeadRecord]
    func mirror(of space: Identifier) throws -> ChainMirror
    /// Reads a space's log in the order of positions.
    func eachEntry(of space: Identifier, _ body: (LogRow) throws -> Void) throws
    /// Whether a chunk is stored; its bytes are not checked.
    func hasChunk(_ chunk: ChunkPlace) throws -> Bool
    func eachChunk(_ body: (ChunkPlace, [UInt8]) throws -> Void) throws
    func wantedChunks() throws -> Set<ChunkPlace>
    /// Returns all devices that were ever revoked.
    func revocations() throws -> Set<Identifier>
    /// Returns the revoked devices that the device table nevertheless admits.
    func revocationsNotInForce() throws -> Set<Identifier>
    /// Returns the devices and recovery codes of a space in the order in which they were admitted.
    ///
    /// Throws if a control set of the space is damaged.
    func devices(of space: Identifier) throws -> [HostedDevice]
    /// Returns how many control sets each space has, ascending by id.
    func controlCounts() throws -> [ControlCount]
    /// Returns, for each space with entries, the time of its last verified backup.
    func backupTimes() throws -> [UnixTime?]
}

/// The end of a space's log.
struct SpaceExtent: Hashable, Sendable {
    let space: Identifier
    let head: UInt64
    /// The chain hash at `head`.
    let chain: Digest
    /// The last position up to which all named chunks are stored, or nil if unknown.
    var whole: UInt64?
}

/// How much of its control chain a space has.
struct ControlCount: Hashable, Sendable {
    let space: Identifier
    /// The names of its members' devices.
    let devices: [String]
    let head: UInt64
    let controls: UInt64
    /// How many control sets the log had before the server was put back, as far as sets with a
    /// receipt say.
    let named: UInt64

    /// How many control sets devices must bring before the space takes new ones.
    var lacking: Int { Int(max(named, controls) - controls) }
    var isWaiting: Bool { lacking > 0 }
}

/// A device or a recovery code as the control chain of a space has it.
struct HostedDevice: Hashable, Sendable {
    let space: Identifier
    let id: Identifier
    /// The name that the device reported; empty for a recovery code.
    let name: String
    let kind: CardKind
    /// When its card was made, by its author's clock.
    let since: UnixTime
    /// The device whose link let it in, or that vouched for it; nil for the first device of a space.
    let voucher: Identifier?
    /// Whether the chain shuts it out.
    var isRevoked: Bool
}

/// The key of a chunk in a store.
struct ChunkPlace: Hashable, Sendable {
    let space: Identifier
    let hash: Digest
}
