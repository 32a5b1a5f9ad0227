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
    private var healing = Healing()
    /// How often in a row a request may fail before the sync ends.
    private let attemptLimit: Int

    /// Two renames heal every clone; more mean that something else is wrong.
    private static let renameLimit = 2
    /// A set that was refused for its clock is written again under new stamps, and one that its
    /// server lost is pushed again; that helps at once or not at all.
    private static let reissueLimit = 3
    /// Another process on the same replica may have done what this one was about to do, a few times
    /// in a row.
    private static let idleLimit = 3
    /// Chunks are asked for in lists of this many.
    package static let fetchLimit = 64

    /// What was tried against a server that lost something, so that each remedy has an end.
    private struct Healing {
        /// How often a space's log was another one.
        var rebases: [Identifier: Int] = [:]
        /// How often in a row sets were brought back to a space without its log bringing anything.
        var refills: [Identifier: Int] = [:]
        /// Spaces to which nothing more can be brought back.
        var settled: Set<Identifier> = []
        /// Why sets that were brought back were not taken, while a space has any that its log lacks.
        var problems: [Identifier: [String]] = [:]
        /// Chunks that were brought, or are not here: no server gets one twice.
        var brought: Set<WantedChunk> = []
        /// How often what differs in a space was looked for and mended.
        var repairs: [Identifier: Int] = [:]
        /// What the server said before it was asked to let this device in again.
        var refusal: ServerRefusal?

        /// Two resets heal every loss; a server whose history changes more often is no single one.
        static let rebaseLimit = 2
        static let refillLimit = 3
        /// First the rows that differ, then the whole base.
        static let repairLimit = 2
    }

    private enum Phase {
        case exchanging, fetching, finished
    }

    package init(attemptLimit: Int = 4) {
        self.attemptLimit = attemptLimit
    }

    /// The one transition function.
    package mutating func handle(_ event: SyncEvent) -> SyncAction {
        switch event {
        case .begin, .renamed, .rebased: .prepare(after: [:])
        case .prepared(let request): .send(request)
        case .replied(let reply, let request): take(reply, request)
        case .taken(let outcomes): next(after: outcomes)
        case .wanted(let chunks): fetch(chunks)
        case .fetched(let chunk, let isHere): fetched(chunk, isHere)
        case .offered(let offered, let space): next(after: offered, in: space)
        case .brought(let count): brought(count)
        case .readmitted: readmitted()
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
        // What was written again is no trouble any more.
        for outcome in outcomes where outcome.isDone && !outcome.hasOrphans {
            healing.problems[outcome.space] = nil
        }
        if outcomes.contains(where: \.isForeignHead) {
            guard renames < Self.renameLimit else { return finish(.stuck) }
            renames += 1
            result.isRenamed = true
            return .renameReplica
        }
        // Counted before anything else is tried: each round could bring a remedy along.
        if outcomes.contains(where: { $0.reissued > 0 || $0.forgotten > 0 }) { reissues += 1 }
        guard reissues <= Self.reissueLimit else { return finish(.stuck) }
        if let remedy = remedy(after: outcomes) { return remedy }
        let isUnfinished = outcomes.contains { $0.problem == nil && !$0.isDone }
        guard isUnfinished else { return deliver(outcomes) }
        let isProgress = outcomes.contains { $0.isProgress(lastGap: gaps[$0.space]) }
        idleRounds = isProgress ? 0 : idleRounds + 1
        guard idleRounds <= Self.idleLimit else { return finish(.stuck) }
        let named = outcomes.compactMap { outcome in outcome.gap.map { (outcome.space, $0) } }
        gaps.merge(named) { $1 }
        return .prepare(after: Dictionary(named) { $1 })
    }

    /// What helps a space whose server lost something, or whose base is wrong.
    private mutating func remedy(after outcomes: [SpaceOutcome]) -> SyncAction? {
        for outcome in outcomes {
            let space = outcome.space
            if outcome.isOtherHistory {
                healing.rebases[space, default: 0] += 1
                guard healing.rebases[space] ?? 0 <= Healing.rebaseLimit else {
                    result.problems.append(ProblemType.cursorReset.rawValue)
                    return finish(.stuck)
                }
                result.rebased += 1
                return .rebase(space)
            }
            if outcome.entries > 0 { healing.refills[space] = 0 }
            let repairs = healing.repairs[space, default: 0]
            if repairs == 0, outcome.isKnownMismatch {
                // It was not to be mended at this position, and would not be now.
                healing.repairs[space] = Healing.repairLimit
                continue
            }
            if outcome.isDone, outcome.isMismatch, repairs < Healing.repairLimit {
                healing.repairs[space] = repairs + 1
                result.repaired += repairs == 0 ? 1 : 0
                return .repair(space, attempt: repairs)
            }
            let refills = healing.refills[space, default: 0]
            // Before the rest is sent: what is written over an orphan whose time lies ahead would
            // have to lie further ahead, and be refused.
            if outcome.hasOrphans, !healing.settled.contains(space),
                refills < Healing.refillLimit
            {
                healing.refills[space] = refills + 1
                return .offer(space, after: nil)
            }
        }
        return nil
    }

    private mutating func next(after offered: BackfillOutcome, in space: Identifier) -> SyncAction {
        failures = 0
        result.refilled += offered.judged
        let known = healing.problems[space, default: []]
        healing.problems[space] = known + offered.problems.filter { !known.contains($0) }
        if offered.judged + offered.reissued == 0 {
            // What no server takes must not hide what this one would; one that has no room now would
            // be sent everything in vain.
            let isFull = offered.problems.contains {
                ProblemType(rawValue: $0)?.remedy == .retry
            }
            if let reach = offered.reach, !isFull { return .offer(space, after: reach) }
            healing.settled.insert(space)
        }
        return .prepare(after: [:])
    }

    /// Everything is sent and merged: now the chunks, first those that the server lacks.
    private mutating func deliver(_ outcomes: [SpaceOutcome]) -> SyncAction {
        let wanted = outcomes.flatMap { outcome in
            outcome.wanted.map { WantedChunk(space: outcome.space, hash: $0) }
        }
        .filter { !healing.brought.contains($0) }
        guard wanted.isEmpty || phase == .fetching else {
            phase = .fetching
            healing.brought.formUnion(wanted)
            return .bring(wanted)
        }
        phase = .fetching
        return .listWanted(limit: listLimit)
    }

    /// What was brought makes room on the server's list for more.
    private mutating func brought(_ count: Int) -> SyncAction {
        failures = 0
        result.brought += count
        guard count > 0 else { return .listWanted(limit: listLimit) }
        phase = .exchanging
        return .prepare(after: [:])
    }

    private mutating func readmitted() -> SyncAction {
        failures = 0
        result.isReadmitted = true
        return .prepare(after: [:])
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
        case .refused(let problem):
            guard problem.type == .unauthorized, healing.refusal == nil else {
                return finish(.refused(healing.refusal ?? problem))
            }
            healing.refusal = problem
            return .readmit
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
        for problem in healing.problems.sorted(by: { $0.key < $1.key }).flatMap(\.value)
        where !result.problems.contains(problem) {
            result.problems.append(problem)
        }
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
    /// The base of a space is empty, and its log is taken from the beginning.
    case rebased
    /// What the server's log lacked was brought back.
    case offered(BackfillOutcome, Identifier)
    /// So many of the chunks that the server wants were here.
    case brought(Int)
    /// The server let this device in again.
    case readmitted
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
    /// Give the log of a space up that the server does not have any more.
    case rebase(Identifier)
    /// Bring back what the server's log lacks, but for what was offered in vain up to a place.
    case offer(Identifier, after: BackfillPosition?)
    /// Find and mend what makes the fingerprints of a space differ; an attempt after the first one
    /// spares nothing.
    case repair(Identifier, attempt: Int)
    /// Bring chunks that the server lacks.
    case bring([WantedChunk])
    /// Ask a server that does not know this device to let it in again.
    case readmit
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
