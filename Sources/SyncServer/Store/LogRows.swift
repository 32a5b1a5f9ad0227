internal import SyncCore

/// The rows that a decision stores, in the transaction that read its facts.
///
/// Stored in this order: chunks, wanted chunks, replicas, entries, bodies, settled sets, the mirror of
/// the control chain, the log's end.
struct LogRows: Sendable {
    /// Chunks to store; they are no longer wanted.
    var chunks: [(hash: Digest, bytes: [UInt8])] = []
    /// Chunks to mark as wanted, unless they are stored or the limit is reached.
    var wanted: [Digest] = []
    /// Replicas with their new state, at most once each.
    private(set) var replicas: [(id: Identifier, state: ReplicaState)] = []
    var entries: [LogEntryRow] = []
    /// Bodies to add to held sets without one, by position.
    var bodies: [(position: UInt64, body: [UInt8])] = []
    /// The positions of held sets that were adopted or refused.
    var settled: [UInt64] = []
    /// Control sets of the chain, by index, with their positions.
    var controls: [(index: UInt64, position: UInt64)] = []
    /// Cards that the control chain admits.
    var admitted: [Card] = []
    /// Devices that the control chain revokes.
    var revoked: [Identifier] = []
    /// The owner of a space that is founded.
    var owner: Identifier?
    /// The log's new end, or nil if nothing is appended.
    var end: LogEnd?

    mutating func setReplica(_ id: Identifier, to state: ReplicaState) {
        replicas.removeAll { $0.id == id }
        replicas.append((id, state))
    }
}

/// A row to append to a log.
struct LogEntryRow: Sendable {
    let position: UInt64
    let name: SetName
    let content: Content
    let receipt: [UInt8]
    let chain: Digest
    let received: UnixTime

    /// Either a set with its verdict and bytes, or an adoption by an admin's device.
    struct Content: Sendable {
        var verdict = Verdict.accepted
        var reason = ""
        var upload: [UInt8]?
        var body: [UInt8]?
        var admin: Identifier?
    }
}
