internal import SyncCore

/// What one space's log says that a decision about some sets needs; read once, before it.
///
/// A ``LogDecision`` brings the facts up to date with each set, as if it were stored already.
struct LogFacts: Sendable {
    let space: Identifier
    var end: LogEnd
    /// The members among the people whose sets these are, and who asks.
    var members: [Identifier: Member] = [:]
    /// The devices that sealed sets which others bring back; not those that the store lost.
    var devices: [Identifier: Device] = [:]
    var replicas: [Identifier: ReplicaState] = [:]
    /// The sets in the log by their names, the oldest first.
    var sets: [ReplicaSequence: [LoggedSet]] = [:]
    /// Which of the chunks that did not come along are stored.
    var chunks: Set<Digest> = []
}

/// The end of a space's log.
struct LogEnd: Hashable, Sendable {
    /// The last position.
    var head: UInt64
    /// The chain hash there.
    var chain: Digest
    /// The greatest stamp time that was accepted so far.
    var greatest: UInt64
}

/// A person in a space.
struct Member: Hashable, Sendable {
    let user: Identifier
    let role: Role
    /// The person's devices, revoked ones too.
    let devices: Set<Identifier>
}

/// What a log knows of a replica.
struct ReplicaState: Hashable, Sendable {
    /// The device that pushed its first set, on the whole server.
    var owner: Identifier?
    var head: ReplicaHead?
    /// Whether two sets go by one of its names, so that it takes no more.
    var isClosed = false

    /// The sequence that comes next.
    var nextSequence: UInt64 { (head?.sequence ?? 0) + 1 }

    /// Whether another device owns the replica.
    func isForeign(to device: Identifier) -> Bool { owner != nil && owner != device }

    /// Why a device cannot append the set now, nil where it can.
    func obstacle(to header: Header, by device: Identifier) -> ProblemType? {
        if isForeign(to: device) || isClosed { return .fork }
        guard header.sequence <= nextSequence else { return .sequenceGap }
        guard header.sequence == nextSequence, header.previous == head?.hash ?? .zero else {
            return .fork
        }
        return nil
    }
}

/// A set in the log and what was said of it.
struct LoggedSet: Sendable {
    let position: UInt64
    let hash: Digest
    let verdict: Verdict
    let reason: String
    var hasBody: Bool
    /// Of a held set, whether it was adopted or refused.
    var isSettled = false
    /// The position from which an adopted set counts.
    var adoption: UInt64?
    /// The header of a held set.
    var header: Header?

    var result: PushResult { .judged(position: position, verdict, reason: reason) }
}

extension LogFacts {
    /// The very set, where the log has it.
    func set(of upload: Upload) -> LoggedSet? {
        sets[upload.slot]?.first { $0.hash == upload.hash }
    }
}

extension Upload {
    /// The name without the hash.
    var slot: ReplicaSequence {
        ReplicaSequence(replica: header.replica, sequence: header.sequence)
    }
}
