/// What to do next in a sync: a value that takes events and returns actions.
///
/// It knows no disk, network, clock or randomness, so a whole fleet runs in one deterministic
/// process. Push and pull are parts of each round and neither waits for the other. Every loop is
/// bounded: a few rounds in a row that bring nothing forward are the last.
package struct SyncEngine: Sendable {
    private var result = SyncResult()
    private var phase = Phase.exchanging
    private var failures = 0
    private var renames = 0
    private var reissues = 0
    private var idleRounds = 0
    /// The last gap that was named for a space.
    private var gaps: [Identifier: UInt64] = [:]
    private var fetchQueue: [WantedChunk] = []
    private var unavailable: Set<Digest> = []
    /// How often in a row a request may fail before the sync ends.
    private let attemptLimit: Int

    /// Two renames heal every clone; more mean that something else is wrong.
    private static let renameLimit = 2
    /// A set that was refused for its clock is written again under new stamps; that helps at once
    /// or not at all.
    private static let reissueLimit = 3
    /// Another process on the same replica may have done what this one was about to do, a few times
    /// in a row.
    private static let idleLimit = 3
    /// Chunks are asked for in lists of this many.
    package static let fetchLimit = 64

    private enum Phase {
        case exchanging, fetching, finished
    }

    package init(attemptLimit: Int = 4) {
        self.attemptLimit = attemptLimit
    }

    /// The one transition function.
    package mutating func handle(_ event: SyncEvent) -> SyncAction {
        switch event {
        case .begin, .renamed: .prepare(after: [:])
        case .prepared(let request): .send(request)
        case .replied(let reply, let request): take(reply, request)
        case .taken(let outcomes): next(after: outcomes)
        case .wanted(let chunks): fetch(chunks)
        case .fetched(let chunk, let isHere): fetched(chunk, isHere)
        case .failed(let failure, let jitter): retry(after: failure, jitter)
        case .woke: phase == .fetching ? .listWanted(limit: listLimit) : .prepare(after: [:])
        }
    }

    private mutating func take(_ reply: SyncReply, _ request: SyncRequest) -> SyncAction {
        failures = 0
        result.rounds += 1
        return .take(reply, of: request)
    }

    private mutating func next(after outcomes: [SpaceOutcome]) -> SyncAction {
        result.add(outcomes)
        if outcomes.contains(where: \.isForeignHead) {
            guard renames < Self.renameLimit else { return finish(.stuck) }
            renames += 1
            return .renameReplica
        }
        let isUnfinished = outcomes.contains { $0.problem == nil && !$0.isDone }
        guard isUnfinished else {
            phase = .fetching
            return .listWanted(limit: listLimit)
        }
        if outcomes.contains(where: { $0.reissued > 0 }) { reissues += 1 }
        let isProgress = outcomes.contains { $0.isProgress(lastGap: gaps[$0.space]) }
        idleRounds = isProgress ? 0 : idleRounds + 1
        guard idleRounds <= Self.idleLimit, reissues <= Self.reissueLimit else {
            return finish(.stuck)
        }
        let named = outcomes.compactMap { outcome in outcome.gap.map { (outcome.space, $0) } }
        gaps.merge(named) { $1 }
        return .prepare(after: Dictionary(named) { $1 })
    }

    /// What the server does not have stays wanted, and must not hide the rest.
    private var listLimit: Int { Self.fetchLimit + unavailable.count }

    private mutating func fetch(_ chunks: [WantedChunk]) -> SyncAction {
        fetchQueue = chunks.filter { !unavailable.contains($0.hash) }.reversed()
        return nextFetch(listIsFull: false)
    }

    private mutating func fetched(_ chunk: WantedChunk, _ isHere: Bool) -> SyncAction {
        failures = 0
        if isHere {
            result.chunks += 1
        } else {
            unavailable.insert(chunk.hash)
            result.missingChunks = unavailable.count
        }
        return nextFetch(listIsFull: true)
    }

    private mutating func nextFetch(listIsFull: Bool) -> SyncAction {
        if let chunk = fetchQueue.popLast() { return .fetch(chunk) }
        return listIsFull
            ? .listWanted(limit: listLimit) : finish(.complete)
    }

    /// Passing trouble is waited out, twice as long each time; a refusal ends the sync.
    private mutating func retry(after failure: SyncFailure, _ jitter: Double) -> SyncAction {
        failures += 1
        switch failure {
        case .refused(let problem): return finish(.refused(problem))
        case .local(let fault): return finish(.failed(fault))
        case .untrusted(let error): return finish(.untrusted(error))
        case .unreachable(let error): return wait(jitter, or: .unreachable(error))
        case .busy(let refusal): return wait(jitter, or: .busy(refusal))
        }
    }

    private mutating func wait(_ jitter: Double, or end: SyncResult.End) -> SyncAction {
        guard failures < attemptLimit else { return finish(end) }
        let longest = 250 << min(failures - 1, 6)
        return .wait(milliseconds: longest / 2 + Int(Double(longest / 2) * jitter))
    }

    private mutating func finish(_ end: SyncResult.End) -> SyncAction {
        phase = .finished
        result.end = end
        return .finish(result)
    }
}

/// What happened.
package enum SyncEvent: Sendable {
    /// The sync begins.
    case begin
    /// A request was made of what is sealed.
    case prepared(SyncRequest)
    /// The server answered a request.
    case replied(SyncReply, to: SyncRequest)
    /// The reply was taken into the replica.
    case taken([SpaceOutcome])
    /// The replica has a new name.
    case renamed
    /// These chunks are named and not here.
    case wanted([WantedChunk])
    /// A chunk was asked for; it is here now, or the server does not have it.
    case fetched(WantedChunk, isHere: Bool)
    /// The last action failed; `jitter` is random from 0 to 1.
    case failed(SyncFailure, jitter: Double)
    /// The wait is over.
    case woke
}

/// What to do.
package enum SyncAction: Sendable, Equatable {
    /// Seal, and make a request; for some spaces of the sets after a sequence.
    case prepare(after: [Identifier: UInt64])
    /// Send a request.
    case send(SyncRequest)
    /// Take a reply into the replica.
    case take(SyncReply, of: SyncRequest)
    /// Give the replica a new name: another database writes under the old one.
    case renameReplica
    /// List chunks that are wanted.
    case listWanted(limit: Int)
    /// Ask for one chunk.
    case fetch(WantedChunk)
    /// Do nothing for a while.
    case wait(milliseconds: Int)
    /// It is over.
    case finish(SyncResult)
}

/// A chunk that a cell names and that is not here.
package struct WantedChunk: Hashable, Sendable {
    /// The space that has it.
    package let space: Identifier
    /// Its name.
    package let hash: Digest
}

/// Why an action failed.
package enum SyncFailure: Error, Hashable, Sendable {
    /// No connection, or none that lasted.
    case unreachable(TransportError)
    /// What answers is not shown to be the server; nothing was sent.
    case untrusted(TransportError)
    /// The server, or whatever answers in its place, cannot do its part now.
    case busy(ServerRefusal)
    /// The server will not answer this.
    case refused(ServerRefusal)
    /// The replica could not do its part.
    case local(ReplicaFault)
}

/// What kept a replica from its part in a sync.
package enum ReplicaFault: Hashable, Sendable {
    /// The file, or the disk under it.
    case database(DatabaseError)
    /// What the replica found in itself or in the server's answer.
    case replica(ReplicaError)
    /// Anything else, as the error describes itself.
    case other(String)

    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError: self = .database(error)
        case let error as ReplicaError: self = .replica(error)
        default: self = .other("\(error)")
        }
    }
}

/// What a server answered instead of doing what it was asked for.
package struct ServerRefusal: Hashable, Sendable {
    /// The row of the table of problems; nil where what answered is no Wake server.
    package let type: ProblemType?
    /// In the server's words.
    package let detail: String

    package init(type: ProblemType?, detail: String) {
        self.type = type
        self.detail = detail
    }
}
