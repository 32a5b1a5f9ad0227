internal import SyncCore

/// The rows that a decision stores, in the transaction that read its facts.
///
/// Stored in this order: chunks, wanted chunks, replicas, entries, bodies, the mirror of the control
/// chain, the log's end.
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
    /// Control sets of the chain, by index, with their positions.
    var controls: [(index: UInt64, position: UInt64)] = []
    /// Who founds the space, and its kind.
    var founding: (user: Identifier, kind: SpaceKind)?
    /// Cards that the control chain admits or ends.
    var cards: [(card: Card, isLive: Bool)] = []
    /// Users whose role changes; nil for one who is no member any more.
    var roles: [(user: Identifier, role: Role?)] = []
    /// A device that the space has shut out, and the further bytes that are kept of it.
    var kept: (device: Identifier, byteCount: Int)?
    /// Devices that their user revokes, and which no space admits any more.
    var revoked: [Identifier] = []
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

    /// A set with its verdict and bytes.
    struct Content: Sendable {
        let verdict: Verdict
        let reason: String
        let upload: [UInt8]
        let body: [UInt8]?
    }
}
