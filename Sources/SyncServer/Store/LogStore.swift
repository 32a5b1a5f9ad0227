internal import SyncCore

/// The append-only log of each space: change sets with their verdicts, in the server's order.
///
/// Positions are 1, 2, 3 … without gaps. A position is assigned in the transaction that stores the
/// entry, so readers see no entry before all lower positions. A reader sees an entry's position,
/// the chain hash after it and its replica's head in one consistent state.
///
/// ``LogDecision`` decides what to do with a set, from ``LogFacts`` that the implementation reads
/// once. The implementation stores the resulting ``LogRows`` in the same transaction.
protocol LogStore: Sendable {
    /// Appends sets of one device to a space's log, each with its verdict.
    ///
    /// Returns one result per set, in order. A set that fails changes nothing, and the next one is
    /// tried. Idempotent: a set that is in the log gets its stored verdict. An empty list returns
    /// no results and checks no membership.
    ///
    /// A device that was shut out of the space may push what it made, which is mostly held, and is told no
    /// position; of its user the space keeps ``StoreLimits/keptBytes``, and refuses more.
    func append(
        _ sets: [PushedSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult]

    /// Appends sets of any device that an earlier log had.
    ///
    /// Returns one result per set, in order. A verdict that a receipt proves is stored again,
    /// whatever the order of the sets. Any other set is judged as if its author had pushed it now.
    /// If two sets have the same name, both are kept and their replica is closed. A held set without
    /// its body gets it from a refill.
    func refill(
        _ sets: [RefilledSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult]

    /// Puts sets back into the places of a log where they were damaged, and bodies into accepted sets
    /// that lost theirs.
    func putBack(_ sets: [NamedSet], to space: Identifier) async throws

    /// Returns the hashes of the log's sets of these names, and those that its sets after the named
    /// ones name as their predecessors.
    func certainSets(
        at names: [ReplicaSequence],
        in space: Identifier
    ) async throws -> Set<Digest>

    /// Returns the last set of a replica in a space's log, or nil for an unknown replica.
    func head(
        of replica: Identifier,
        in space: Identifier,
        for device: Identifier
    ) async throws -> NamedHead?

    /// Returns the entries after a position.
    ///
    /// At most ``StoreLimits/pageEntries`` and `byteLimit` bytes, but at least one entry if there
    /// is any. `device` is nil for the server itself. A set that counts carries its body. Throws
    /// ``StoreError/beyondHead(_:)`` with the log's end for a position beyond it.
    func page(
        of space: Identifier,
        after position: UInt64,
        for device: Identifier?,
        byteLimit: Int
    ) async throws -> Page

    /// Returns the entries at ascending positions, as in a page.
    ///
    /// Leaves out positions that the log does not have, and the last ones beyond `byteLimit`, but
    /// returns at least one entry if there is any.
    func entries(
        of space: Identifier,
        at positions: [UInt64],
        for device: Identifier?,
        byteLimit: Int
    ) async throws -> [[UInt8]]

    /// Returns the first ``Limits/entryLimit`` positions of sets that are lost, and of accepted sets
    /// whose body is.
    ///
    /// What does not match the log's chain or its header is dropped when it is read, and so is lost.
    func gaps(in space: Identifier, for device: Identifier) async throws -> [UInt64]

    /// Returns the entries of the held sets that wait for a decision, with their bodies.
    ///
    /// The oldest ``StoreLimits/heldSets``, as far as they fit into `byteLimit`, but at least one if there
    /// is any. Throws ``StoreError/forbidden`` for a member who is neither owner nor admin.
    func held(
        in space: Identifier,
        for device: Identifier,
        byteLimit: Int
    ) async throws -> [[UInt8]]

    /// Returns the last position of a space in the last verified backup, or nil if there is none.
    ///
    /// Backups of earlier epochs do not count.
    func backupMark(of space: Identifier, for device: Identifier) async throws -> BackupMark?
}
