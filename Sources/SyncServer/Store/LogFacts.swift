internal import SyncCore

/// The facts about one space's log that a decision on some sets needs, read once.
///
/// ``LogDecision`` updates them after each set as if it were stored already.
struct LogFacts: Sendable {
    let space: Identifier
    var end: LogEnd
    /// The devices that sealed refilled sets, without those that the store lost.
    var devices: [Identifier: Device] = [:]
    var replicas: [Identifier: ReplicaState] = [:]
    /// The sets in the log by name, the oldest first.
    var sets: [ReplicaSequence: [LoggedSet]] = [:]
    /// The control chain of the space.
    var chain: ControlChain
    /// The chain hash at each position that the question names, if the log reaches it.
    var chainHashes: [LogPosition: Digest] = [:]
    /// The last sequence of each replica of the devices whose sets control sets cut.
    var heads: [Identifier: [Identifier: UInt64]] = [:]
    /// The bytes that the space keeps of who asks, if it has shut them out; nil for a member.
    var kept: Int?
    /// The wraps in stored chunks that control sets name.
    var wraps: [Digest: KeyWraps] = [:]
    /// The held sets that control sets adopt and that could not count even so.
    var unadoptable: Set<SetReference> = []
    /// The stored chunks among those that were not uploaded with the sets.
    var chunks: Set<Digest> = []
}

struct LogEnd: Hashable, Sendable {
    var head: UInt64
    /// The chain hash at `head`.
    var chain: Digest
    /// The greatest stamp time that was accepted so far.
    var greatest: UInt64
    /// The number of control sets, and the hash of the newest.
    var controls: UInt64 = 0
    var controlHead = Digest.zero
    /// The greatest number of control sets that the log has or that a receipt of an earlier log proves.
    var named: UInt64 = 0
    /// The number of control sets that the backup had, from which the log was restored.
    var restored: UInt64 = 0
    /// Whether the newest entry has the same link.
    var isLinked = true
    /// Whether others stand in the places of control sets that an earlier log had.
    var hasOtherChain = false
}

extension ReplicaState {
    /// The head as it is sent to devices.
    var named: NamedHead? {
        head.map { NamedHead(head: $0, signature: signature, controls: controls) }
    }
}

struct ReplicaState: Hashable, Sendable {
    /// The device that pushed its first set to any space of this server.
    var owner: Identifier?
    var head: ReplicaHead?
    /// The device's signature over the head, and the number of control sets that the head names.
    var signature: Signature?
    var controls: UInt64 = 0
    /// Whether two sets have the same name; a closed replica accepts no more sets.
    var isClosed = false

    var nextSequence: UInt64 { (head?.sequence ?? 0) + 1 }

    func isForeign(to device: Identifier) -> Bool { owner != nil && owner != device }

    /// Returns the problem that keeps a device from appending a set now, or nil if there is none.
    func obstacle(to header: Header, by device: Identifier) -> ProblemType? {
        if isForeign(to: device) || isClosed { return .fork }
        guard header.sequence <= nextSequence else { return .sequenceGap }
        guard header.sequence == nextSequence, header.previous == head?.hash ?? .zero else {
            return .fork
        }
        return nil
    }
}

/// A change set in the log with its verdict.
struct LoggedSet: Sendable {
    let position: UInt64
    let hash: Digest
    let verdict: Verdict
    let reason: String
    var hasBody: Bool
    /// The set itself, of a held set that a control set adopts.
    var upload: Upload?

    var result: PushResult { .judged(position: position, verdict, reason: reason) }
}

extension LogFacts {
    /// Returns the set with the same name and hash, or nil if the log lacks it.
    func set(of upload: Upload) -> LoggedSet? {
        sets[upload.slot]?.first { $0.hash == upload.hash }
    }
}

extension SetReference {
    /// The set's name without its hash.
    var slot: ReplicaSequence { ReplicaSequence(replica: replica, sequence: sequence) }
}

extension Upload {
    /// The set's name without its hash.
    var slot: ReplicaSequence {
        ReplicaSequence(replica: header.replica, sequence: header.sequence)
    }
}
