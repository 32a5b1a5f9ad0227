/// The state machine of a sync: a value that takes events and returns actions.
///
/// It performs no I/O and reads no clock or random numbers, so a whole fleet runs in one
/// deterministic process. Each round both pushes and pulls, and neither waits for the other. Every
/// loop has a limit: the sync ends after a few successive rounds without progress.
package struct SyncEngine: Sendable {
    private var result = SyncResult()
    private var phase = Phase.exchanging
    private var failures = 0
    private var renames = 0
    private var reissues = 0
    private var additions = 0
    private var idleRounds = 0
    /// The last gap that the server reported for each space.
    private var gaps: [Identifier: UInt64] = [:]
    private var fetchQueue: [WantedChunk] = []
    private var unavailable: Set<Digest> = []
    private var healing = Healing()
    /// The number of successive failed attempts after which the sync ends.
    var attemptLimit = 4

    /// Two renames resolve every clone; more indicate another fault.
    private static let renameLimit = 2
    /// Re-stamping a set that was refused for its clock, or pushing a lost set again, helps at once
    /// or not at all.
    private static let reissueLimit = 3
    /// How often in a sync what arrived may lead to more to send; a server that refuses it each time must
    /// not keep the sync going.
    private static let additionLimit = 4
    /// Another process on the same replica may win the race for a page a few times in a row.
    private static let idleLimit = 3
    /// The number of chunks listed at a time.
    package static let fetchLimit = 64

    /// The remedies tried against a server that lost data, counted so that each one ends.
    private struct Healing {
        /// How often each space had to start over because its log was another one.
        var rebases: [Identifier: Int] = [:]
        /// The number of successive backfills of each space after which its log brought nothing
        /// new.
        var refills: [Identifier: Int] = [:]
        /// Spaces whose backfill is exhausted.
        var settled: Set<Identifier> = []
        /// The problems of rejected backfill items, for spaces that still have orphans.
        var problems: [Identifier: [String]] = [:]
        /// Chunks already uploaded or not available here, so that none is uploaded twice.
        var brought: Set<WantedChunk> = []
        var repairs: [Identifier: Int] = [:]
        /// Spaces that the server was asked to host.
        var hosted: Set<Identifier> = []
        /// The server's error before this device asked for readmission.
        var refusal: ServerRefusal?

        /// Two resets handle every loss; a server whose history changes more often is not one
        /// server.
        static let rebaseLimit = 2
        static let refillLimit = 3
        /// First repair the differing rows, then the whole base.
        static let repairLimit = 2
    }

    private enum Phase {
        case exchanging, fetching, finished
    }

    /// Returns the action that follows an event.
    package mutating func handle(_ event: SyncEvent) -> SyncAction {
        switch event {
        case .begin, .renamed, .rebased: .prepare(after: [:])
        case .hosted(let problem): hosted(problem)
        case .prepared(let request): .send(request)
        case .replied(let reply, let request): take(reply, request)
        case .taken(let outcomes): next(after: outcomes)
        case .wanted(let chunks): fetch(chunks)
        case .fetched(let chunk, let isHere): fetched(chunk, isHere)
        case .damaged(let chunk): damaged(chunk)
        case .offered(let offered, let space): next(after: offered, in: space)
        case .brought(let count): brought(count)
        case .readmitted: readmitted()
        case .failed(let failure, let jitter): retry(after: failure, jitter)
        case .woke: phase == .fetching ? .listWanted(limit: listLimit) : .prepare(after: [:])
        }
    }

    private mutating func take(_ reply: SyncReply, _ request: SyncRequest) -> SyncAction {
        result.rounds += 1
        return .take(reply, of: request)
    }

    private mutating func next(after outcomes: [SpaceOutcome]) -> SyncAction {
        // Not when the reply arrives: applying it may fetch a chunk, which may fail each time.
        failures = 0
        var outcomes = outcomes
        let unknown = outcomes.indices.filter {
            outcomes[$0].problem == ProblemType.notFound.rawValue
                && !healing.hosted.contains(outcomes[$0].space)
        }
        for index in unknown { outcomes[index].problem = nil }
        result.add(outcomes)
        // The log lacks nothing of this space now, so its earlier problems are solved.
        for outcome in outcomes where outcome.isDone && !outcome.hasOrphans {
            healing.problems[outcome.space] = nil
        }
        if outcomes.contains(where: \.isForeignHead) {
            guard renames < Self.renameLimit else { return finish(.stuck) }
            renames += 1
            result.isRenamed = true
            return .renameReplica
        }
        if let first = unknown.first {
            healing.hosted.insert(outcomes[first].space)
            return .host(outcomes[first].space)
        }
        // Counted before any remedy, because each round could yield another remedy.
        if outcomes.contains(where: { $0.reissued > 0 || $0.forgotten > 0 }) { reissues += 1 }
        guard reissues <= Self.reissueLimit else { return finish(.stuck) }
        if let remedy = remedy(after: outcomes) { return remedy }
        let hasMore = outcomes.contains(where: \.hasMore) && additions < Self.additionLimit
        if hasMore { additions += 1 }
        let isUnfinished = hasMore || outcomes.contains { $0.problem == nil && !$0.isDone }
        guard isUnfinished else { return deliver(outcomes) }
        let isProgress = outcomes.contains { $0.isProgress(lastGap: gaps[$0.space]) }
        idleRounds = isProgress ? 0 : idleRounds + 1
        guard idleRounds <= Self.idleLimit else { return finish(.stuck) }
        let named = outcomes.compactMap { outcome in outcome.gap.map { (outcome.space, $0) } }
        gaps.merge(named) { $1 }
        return .prepare(after: Dictionary(named) { $1 })
    }

    /// Returns the remedy for a space whose server lost data or whose base is wrong; nil if none is
    /// needed.
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
                // The repair failed at this position before and would fail again.
                healing.repairs[space] = Healing.repairLimit
                continue
            }
            if outcome.isDone, outcome.isMismatch, repairs < Healing.repairLimit {
                healing.repairs[space] = repairs + 1
                result.repaired += repairs == 0 ? 1 : 0
                return .repair(space, attempt: repairs)
            }
            let refills = healing.refills[space, default: 0]
            // Offered before the remaining pushes. An orphan's stamp may lie ahead of the clock,
            // and a later write in its place would need a still later stamp, which the server would
            // refuse.
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
            // Items that every server rejects must not hide later ones. But a server that has no
            // room now would reject them all.
            let isFull = offered.problems.contains { ProblemType(rawValue: $0)?.remedy == .retry }
            if let reach = offered.reach, !isFull { return .offer(space, after: reach) }
            healing.settled.insert(space)
        }
        return .prepare(after: [:])
    }

    /// Transfers chunks once all sets are pushed and merged, first those that the server lacks.
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

    /// Uploaded chunks leave the server's list, which has room for others then.
    private mutating func brought(_ count: Int) -> SyncAction {
        failures = 0
        result.brought += count
        guard count > 0 else { return .listWanted(limit: listLimit) }
        phase = .exchanging
        return .prepare(after: [:])
    }

    private mutating func hosted(_ problem: String?) -> SyncAction {
        if let problem, !result.problems.contains(problem) { result.problems.append(problem) }
        return .prepare(after: [:])
    }

    private mutating func readmitted() -> SyncAction {
        failures = 0
        result.isReadmitted = true
        return .prepare(after: [:])
    }

    /// Chunks that the server lacks stay wanted; the limit grows so that they do not hide others.
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

    private mutating func damaged(_ chunk: WantedChunk) -> SyncAction {
        result.damagedChunks += 1
        return fetched(chunk, false)
    }

    private mutating func nextFetch(listIsFull: Bool) -> SyncAction {
        if let chunk = fetchQueue.popLast() { return .fetch(chunk) }
        return listIsFull ? .listWanted(limit: listLimit) : finish(.complete)
    }

    /// Retries temporary failures with exponential back-off; any other failure ends the sync.
    ///
    /// An `unauthorized` error is followed by one attempt at readmission.
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
