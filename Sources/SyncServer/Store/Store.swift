internal import SyncCore

/// Everything that a server keeps: one log a space, chunks, accounts, and what maintains them.
///
/// One contract suite runs over every implementation. Beside what each of the four protocols says:
/// - **Durable**: what a call returned survives a crash and a loss of power.
/// - **Atomic**: a call that is interrupted at any statement has done everything or nothing.
/// - **Idempotent**: every call can be repeated, as after a lost answer, and then changes nothing
///   more; where a repetition answers differently, the call says so.
/// - **Private**: membership is part of the statement that reads or writes a space. Who is no member
///   gets ``StoreError/notFound``, as for a space that does not exist.
/// - **Deterministic**: times, ids and randomness are parameters.
/// - One transaction touches one space, except for accounts.
///
/// A disk or a server that fails throws ``DatabaseError``; its `kind` says what the caller can do.
protocol Store: AccountStore, LogStore, ChunkStore, StoreMaintenance {}

/// Why the store does not do what it was asked for.
enum StoreError: Error, Equatable {
    /// There is no such thing, or this person may not know of it.
    case notFound
    /// The role does not allow it.
    case forbidden
    /// The token is unknown, used by another device, or expired.
    case badToken
    /// The device's id is another enrolled device's: one is a copy of the other.
    case deviceTaken
    /// The device was revoked.
    case deviceRevoked
    /// An older program wrote the store, and nobody has brought it up to date.
    case outdated
    /// A held set whose body nobody has brought yet.
    case withoutBody
    /// The cursor lies beyond the log's end.
    case beyondHead(UInt64)
}

/// The most that a store keeps or answers at a time; every implementation has the same limits.
enum StoreLimits {
    /// Entries in one page of a log.
    static let pageEntries = 1000
    /// Held sets in one answer; the others follow when these are settled.
    static let heldSets = 1000
    /// Wanted chunks of one space, so that nobody fills the disk with wishes.
    static let wantedChunks = 1000
    /// Wanted chunks of one space after which questions of members add no more.
    static let wantedByMembers = 500
    /// How long a nonce is remembered: twice the window in which a signature is good.
    static let nonceMilliseconds = 2 * RequestSignature.windowSeconds * 1000
}
