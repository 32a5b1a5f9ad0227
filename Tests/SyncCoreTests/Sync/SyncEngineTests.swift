import Testing

@testable import SyncCore

/// The engine alone: what it decides, and that it always comes to an end.
@Suite struct SyncEngineTests {
    private let space = Identifier(number: 7)
    private let request = SyncRequest(spaces: [])
    private let reply = SyncReply(time: UnixTime(milliseconds: 0), spaces: [])

    private func outcome(_ change: (inout SpaceOutcome) -> Void) -> SyncEvent {
        var outcome = SpaceOutcome(space: space)
        change(&outcome)
        return .taken([outcome])
    }

    /// An engine that has sent a request and got its reply.
    private func engine() -> SyncEngine {
        var engine = SyncEngine()
        #expect(engine.handle(.begin) == .prepare(after: [:]))
        #expect(engine.handle(.prepared(request)) == .send(request))
        #expect(engine.handle(.replied(reply, to: request)) == .take(reply, of: request))
        return engine
    }

    private func result(_ action: SyncAction) -> SyncResult? {
        if case .finish(let result) = action { result } else { nil }
    }

    @Test func `nothing new is one round`() {
        var engine = engine()
        #expect(engine.handle(outcome { $0.isDone = true }) == .listWanted(limit: 64))
        let result = result(engine.handle(.wanted([])))
        #expect(result?.end == .complete)
        #expect(result?.rounds == 1)
    }

    @Test func `pages go on while something comes, and end when nothing does`() {
        var engine = engine()
        #expect(engine.handle(outcome { $0.entries = 5 }) == .prepare(after: [:]))
        _ = engine.handle(.prepared(request))
        _ = engine.handle(.replied(reply, to: request))
        for _ in 0..<3 { #expect(engine.handle(outcome { _ in }) == .prepare(after: [:])) }
        let ended = result(engine.handle(outcome { _ in }))
        #expect(ended?.end == .stuck)
        #expect(ended?.pulled == 5)
    }

    @Test func `a gap is filled from where the server stands`() {
        var engine = engine()
        #expect(engine.handle(outcome { $0.gap = 4 }) == .prepare(after: [space: 4]))
    }

    @Test func `a foreign head takes a new name, but not for ever`() {
        var engine = engine()
        for _ in 0..<2 {
            #expect(engine.handle(outcome { $0.isForeignHead = true }) == .renameReplica)
            #expect(engine.handle(.renamed) == .prepare(after: [:]))
        }
        #expect(result(engine.handle(outcome { $0.isForeignHead = true }))?.end == .stuck)
    }

    @Test func `what comes again and again leads to more a few times only`() {
        var engine = engine()
        let more = outcome {
            $0.isDone = true
            $0.hasMore = true
            $0.judged = 1
        }
        for _ in 0..<4 { #expect(engine.handle(more) == .prepare(after: [:])) }
        #expect(engine.handle(more) == .listWanted(limit: 64))
    }

    @Test func `sets that are refused again and again end the sync`() {
        var engine = engine()
        var rounds = 0
        var action = SyncAction.prepare(after: [:])
        while result(action) == nil, rounds < 100 {
            rounds += 1
            action = engine.handle(
                outcome {
                    $0.judged = 1
                    $0.reissued = 1
                }
            )
        }
        #expect(rounds == 4)
        #expect(result(action)?.end == .stuck)
    }

    @Test func `passing trouble is waited out, longer each time, and given up`() {
        let busy = ServerRefusal(type: .storageFull, detail: "full")
        var engine = SyncEngine()
        _ = engine.handle(.begin)
        var waits: [Int] = []
        for _ in 0..<3 {
            let action = engine.handle(.failed(.busy(busy), jitter: 1))
            guard case .wait(let milliseconds) = action else {
                Issue.record("\(action)")
                return
            }
            waits.append(milliseconds)
            #expect(engine.handle(.woke) == .prepare(after: [:]))
        }
        #expect(waits == [250, 500, 1000])
        let ended = result(engine.handle(.failed(.busy(busy), jitter: 1)))
        #expect(ended?.end == .busy(busy))
    }

    @Test func `a server that answers syncs and nothing else is given up, too`() {
        let busy = ServerRefusal(type: nil, detail: "no entries")
        var engine = SyncEngine()
        var action = engine.handle(.begin)
        var rounds = 0
        while result(action) == nil, rounds < 100 {
            rounds += 1
            _ = engine.handle(.prepared(request))
            #expect(engine.handle(.replied(reply, to: request)) == .take(reply, of: request))
            action = engine.handle(.failed(.busy(busy), jitter: 0))
            if case .wait = action { action = engine.handle(.woke) }
        }
        #expect(rounds == 4)
        #expect(result(action)?.end == .busy(busy))
    }

    @Test func `a refusal ends the sync at once`() {
        var engine = SyncEngine()
        _ = engine.handle(.begin)
        let refusal = ServerRefusal(type: .forbidden, detail: "no")
        let ended = result(engine.handle(.failed(.refused(refusal), jitter: 0)))
        #expect(ended?.end == .refused(refusal))
    }

    @Test func `a device that the server does not know asks once to be let in again`() {
        var engine = SyncEngine()
        _ = engine.handle(.begin)
        let refusal = ServerRefusal(type: .unauthorized, detail: "unknown")
        #expect(engine.handle(.failed(.refused(refusal), jitter: 0)) == .readmit)
        #expect(engine.handle(.readmitted) == .prepare(after: [:]))
        let ended = result(engine.handle(.failed(.refused(refusal), jitter: 0)))
        #expect(ended?.end == .refused(refusal))
        #expect(ended?.isReadmitted == true)
    }

    @Test func `a device that is not let in again ends with what the server said first`() {
        var engine = SyncEngine()
        _ = engine.handle(.begin)
        let refusal = ServerRefusal(type: .unauthorized, detail: "revoked")
        _ = engine.handle(.failed(.refused(refusal), jitter: 0))
        let second = ServerRefusal(type: .forbidden, detail: "no")
        let ended = result(engine.handle(.failed(.refused(second), jitter: 0)))
        #expect(ended?.end == .refused(refusal))
    }

    @Test func `a server whose history keeps changing does not keep a device busy`() {
        var engine = engine()
        var other = SpaceOutcome(space: space)
        other.isOtherHistory = true
        #expect(engine.handle(.taken([other])) == .rebase(space))
        #expect(engine.handle(.rebased) == .prepare(after: [:]))
        #expect(engine.handle(.taken([other])) == .rebase(space))
        _ = engine.handle(.rebased)
        let ended = result(engine.handle(.taken([other])))
        #expect(ended?.end == .stuck)
        #expect(ended?.trouble == "cursor-reset")
    }

    @Test func `what a log does not take is offered until nothing comes of it`() {
        var engine = engine()
        var lacking = SpaceOutcome(space: space)
        lacking.isDone = true
        lacking.hasOrphans = true
        let first = SyncAction.offer(space, after: nil)
        #expect(engine.handle(.taken([lacking])) == first)
        #expect(engine.handle(.offered(.init(judged: 2), space)) == .prepare(after: [:]))
        #expect(engine.handle(.taken([lacking])) == first)
        let place = BackfillPosition(replica: 1, sequence: 7, number: 7)
        let vain = BackfillOutcome(problems: ["sequence-gap"], reach: place)
        #expect(engine.handle(.offered(vain, space)) == .offer(space, after: place))
        let full = BackfillOutcome(problems: ["storage-full"], reach: place)
        #expect(engine.handle(.offered(full, space)) == .prepare(after: [:]))
        guard case .listWanted = engine.handle(.taken([lacking])) else {
            Issue.record("it is offered again")
            return
        }
    }

    @Test func `a server that judges a set and never has it does not keep a device busy`() {
        var engine = engine()
        var losing = SpaceOutcome(space: space)
        (losing.judged, losing.forgotten) = (1, 1)
        for _ in 0..<3 { #expect(engine.handle(.taken([losing])) == .prepare(after: [:])) }
        #expect(result(engine.handle(.taken([losing])))?.end == .stuck)
    }

    @Test(
        arguments: [
            TransportError.wrongKey(authority: "h:1"), .noTLS(authority: "h:1"),
            .notTrusted(authority: "h:1", reason: "self-signed"),
        ]
    )
    func `what may not be the server ends the sync at once`(error: TransportError) {
        var engine = SyncEngine()
        _ = engine.handle(.begin)
        #expect(SyncFailure(error) == .untrusted(error))
        let ended = result(engine.handle(.failed(SyncFailure(error), jitter: 0)))
        #expect(ended?.end == .untrusted(error))
    }

    @Test func `a problem of one space leaves the others alone and is told`() {
        var engine = engine()
        var problem = SpaceOutcome(space: Identifier(number: 8))
        problem.problem = "not-found"
        var good = SpaceOutcome(space: space)
        good.entries = 1
        // The server may have lost the space.
        #expect(engine.handle(.taken([problem, good])) == .host(Identifier(number: 8)))
        #expect(engine.handle(.hosted(nil)) == .prepare(after: [:]))
        #expect(engine.handle(.taken([problem, good])) == .prepare(after: [:]))
        good.isDone = true
        #expect(engine.handle(.taken([problem, good])) == .listWanted(limit: 64))
        #expect(result(engine.handle(.wanted([])))?.problems == ["not-found"])
    }

    @Test func `a chunk that the server lacks does not stop the others`() {
        var engine = engine()
        _ = engine.handle(outcome { $0.isDone = true })
        let chunks = (0..<3).map { WantedChunk(space: space, hash: Digest(of: [UInt8($0)])) }
        var action = engine.handle(.wanted(chunks))
        for (index, chunk) in chunks.enumerated() {
            #expect(action == .fetch(chunk))
            action = engine.handle(.fetched(chunk, isHere: index != 1))
        }
        #expect(action == .listWanted(limit: 65))
        let ended = result(engine.handle(.wanted([chunks[1]])))
        #expect(ended?.chunks == 2)
        #expect(ended?.missingChunks == 1)
        #expect(ended?.end == .complete)
    }

    @Test func `chunks that the server lacks are brought once, as long as some are here`() {
        var engine = engine()
        let chunk = WantedChunk(space: space, hash: .zero)
        let lacks = outcome {
            $0.isDone = true
            $0.wanted = [chunk.hash]
        }
        #expect(engine.handle(lacks) == .bring([chunk]))
        #expect(engine.handle(.brought(1)) == .prepare(after: [:]))
        let another = WantedChunk(space: space, hash: Digest(of: [1]))
        let more = outcome {
            $0.isDone = true
            $0.wanted = [chunk.hash, another.hash]
        }
        #expect(engine.handle(more) == .bring([another]))
        #expect(engine.handle(.brought(0)) == .listWanted(limit: 64))
        #expect(result(engine.handle(.wanted([])))?.brought == 1)
    }

    @Test func `a base that differs from the server's is mended in two steps and no more`() {
        var engine = engine()
        let differs = outcome {
            $0.isDone = true
            $0.isMismatch = true
        }
        for attempt in 0..<2 {
            #expect(engine.handle(differs) == .repair(space, attempt: attempt))
            #expect(engine.handle(.rebased) == .prepare(after: [:]))
        }
        #expect(engine.handle(differs) == .listWanted(limit: 64))
        let ended = result(engine.handle(.wanted([])))
        #expect(ended?.repaired == 1 && ended?.mismatches == 1)
    }

    @Test func `a connection that breaks while chunks come goes on with the chunks`() {
        var engine = engine()
        _ = engine.handle(outcome { $0.isDone = true })
        let chunk = WantedChunk(space: space, hash: .zero)
        #expect(engine.handle(.wanted([chunk])) == .fetch(chunk))
        _ = engine.handle(.failed(.unreachable(.timedOut(authority: "test:1")), jitter: 0))
        #expect(engine.handle(.woke) == .listWanted(limit: 64))
    }

    @Test func `N12 a gap that is named for ever ends the sync`() {
        var engine = engine()
        var rounds = 0
        var action = SyncAction.prepare(after: [:])
        while result(action) == nil, rounds < 100 {
            rounds += 1
            action = engine.handle(outcome { $0.gap = UInt64(min(rounds, 3)) })
        }
        #expect(rounds == 7)
        #expect(result(action)?.end == .stuck)
    }

    @Test func `chunks that the server lacks do not end a sync that was interrupted`() {
        var engine = engine()
        _ = engine.handle(outcome { $0.isDone = true })
        let chunk = WantedChunk(space: space, hash: .zero)
        _ = engine.handle(.wanted([chunk]))
        _ = engine.handle(.fetched(chunk, isHere: false))
        _ = engine.handle(.failed(.unreachable(.timedOut(authority: "test:1")), jitter: 0))
        #expect(engine.handle(.woke) == .listWanted(limit: 65))
    }
}
