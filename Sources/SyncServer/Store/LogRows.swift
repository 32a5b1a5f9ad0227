internal import SyncCore

/// What a decision stores, in the transaction in which its facts were read.
///
/// In this order: chunks, wishes, replicas, entries, bodies, settled sets, the log's end.
struct LogRows: Sendable {
    /// Chunks to store; they are wanted no more.
    var chunks: [(hash: Digest, bytes: [UInt8])] = []
    /// Chunks to want, unless they are stored or too many are wanted.
    var wanted: [Digest] = []
    /// Replicas with their new state, each once.
    private(set) var replicas: [(id: Identifier, state: ReplicaState)] = []
    /// Entries to append.
    var entries: [LogEntryRow] = []
    /// Bodies of sets that have none, by position.
    var bodies: [(position: UInt64, body: [UInt8])] = []
    /// The positions of held sets that wait no more.
    var settled: [UInt64] = []
    /// The new end of the log, nil where nothing is appended.
    var end: LogEnd?

    /// Replaces what is to be stored of a replica.
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

    /// What became of a set here: its verdict with its bytes, or that an admin's device adopted it.
    struct Content: Sendable {
        var verdict = Verdict.accepted
        var reason = ""
        var upload: [UInt8]?
        var body: [UInt8]?
        var admin: Identifier?
    }
}
