internal import SyncCore

/// Everything that a server stores: a log per space, chunks, accounts, and their maintenance.
///
/// One test suite checks this contract for every implementation. In addition to the four protocols:
/// - **Durable**: the results of a call that returned survive a crash and a power loss.
/// - **Atomic**: a call that is interrupted at any statement has done everything or nothing.
/// - **Idempotent**: a repeated call, as after a lost answer, changes nothing more. A call whose
///   second answer differs documents it.
/// - **Private**: a call for a device reads or writes a space only if the device is in it; one that was may
///   still append. Another one gets ``StoreError/notFound``, as for a space that does not exist.
/// - **Deterministic**: times, ids and randomness are parameters.
/// - One transaction touches one space, except for accounts.
///
/// A failing disk or database throws ``DatabaseError``; its `kind` tells the caller how to react.
protocol Store: AccountStore, LogStore, ChunkStore, StoreMaintenance {}

/// A request that the store rejects.
enum StoreError: Error, Equatable {
    /// It does not exist, or this person may not know of it.
    case notFound
    /// The person's role does not allow it.
    case forbidden
    /// The person founded as many shared spaces as one may.
    case tooManySpaces
    /// The token is unknown, expired, or used by another device.
    case badToken
    /// Another enrolled device has the same id: one is a copy of the other.
    case deviceTaken
    case deviceRevoked
    /// An older program version wrote the store, and it has not been migrated.
    case outdated
    /// A change of devices or keys was damaged in the log, and no device has brought it yet.
    case brokenControls
    /// The cursor lies beyond the log's end, which is given.
    case beyondHead(UInt64)
}

/// The limits of every store implementation.
enum StoreLimits {
    static let pageEntries = 1000
    /// The bytes of sets and chunks that a space ever keeps of a user whom it has shut out.
    static let keptBytes = 16 << 20
    /// The shared spaces that one user may found.
    static let foundedSpaces = 64
    /// Held sets in one answer; later ones follow once these are decided on.
    static let heldSets = 1000
    /// Wanted chunks of one space, so that members cannot fill the disk.
    static let wantedChunks = 1000
    /// Wanted chunks of one space above which requests of members add no more.
    static let wantedByMembers = 500
    /// How long a nonce is remembered: twice the window in which a signature is valid.
    static let nonceMilliseconds = 2 * RequestSignature.windowSeconds * 1000
}
