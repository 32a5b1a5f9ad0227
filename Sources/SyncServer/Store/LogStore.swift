internal import SyncCore

/// The append-only log of each space: change sets with their verdicts, in the server's order.
///
/// Positions are 1, 2, 3 … without a gap. A position is given in the transaction that stores the
/// entry, so a reader never sees one before those below it. A reader sees the position of an entry,
/// the chain hash after it and the head of its replica as of one moment.
///
/// What to do with a set is decided by ``LogDecision``, a value, from ``LogFacts`` that the
/// implementation reads once; it stores ``LogRows`` in the same transaction.
protocol LogStore: Sendable {
    /// Appends sets of one device to a space's log, each with its verdict, or says why not.
    ///
    /// Results are in order, one a set; a set that fails changes nothing and the next one is tried.
    /// A set that is in the log gets what was said of it before. No sets are no question: nobody's
    /// membership is looked at.
    func append(
        _ sets: [PushedSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult]

    /// Appends sets of any device that an earlier log had, or says why not.
    ///
    /// A verdict that a receipt proves is stored again, whatever the order of the sets; anything
    /// else is judged as if its author had pushed it now. Two sets that go by one name are both
    /// kept, and their replica takes no more. A held set that came without its body takes it when
    /// it is brought.
    func refill(
        _ sets: [RefilledSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult]

    /// Returns the last set of a replica in a space's log, nil for an unknown replica.
    func head(
        of replica: Identifier,
        in space: Identifier,
        for user: Identifier
    ) async throws -> ReplicaHead?

    /// Returns the entries after a position: at most ``StoreLimits/pageEntries``, and as many as
    /// `byteLimit` has room for, but one at least. `user` is nil for the server itself.
    ///
    /// An entry has the body of an accepted set, and of a held set at the position of its adoption.
    /// Throws ``StoreError/beyondHead(_:)`` with the log's end for a position beyond it.
    func page(
        of space: Identifier,
        after position: UInt64,
        for user: Identifier?,
        byteLimit: Int
    ) async throws -> Page

    /// Returns the held sets that wait for a decision, the oldest ``StoreLimits/heldSets``.
    ///
    /// Throws ``StoreError/forbidden`` for a member who is neither owner nor admin.
    func held(in space: Identifier, for user: Identifier) async throws -> [HeldSet]

    /// Adopts the held sets of one name, each at a new position, or refuses them for ever.
    ///
    /// Throws ``StoreError/notFound`` for a name without a held set and for a second, different
    /// decision; ``StoreError/withoutBody`` where a set to adopt has no body yet;
    /// ``StoreError/forbidden`` for a member who is neither owner nor admin.
    func settle(
        _ set: ReplicaSequence,
        in space: Identifier,
        _ decision: HeldDecision,
        by device: Device,
        at now: UnixTime
    ) async throws

    /// Returns how far a space was in the last verified backup, nil where there is none of this
    /// epoch.
    func backupMark(of space: Identifier, for user: Identifier) async throws -> BackupMark?
}
