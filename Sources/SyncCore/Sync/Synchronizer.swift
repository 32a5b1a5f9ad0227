/// Performs the actions of a ``SyncEngine`` between one replica and one server.
package struct Synchronizer: Sendable {
    let replica: Replica
    let client: ServerClient
    let enroller: Enroller
    let now: @Sendable () -> Moment
    let sleep: @Sendable (_ milliseconds: Int) async throws -> Void
    let jitter: @Sendable () -> Double
    let progress: @Sendable (SyncAction) -> Void

    /// The limit for the items of a request, in bytes; envelopes use the rest of the server's
    /// limit.
    static let pushByteLimit = Limits.requestByteLimit - 64 * 1024

    package init(
        replica: Replica,
        client: ServerClient,
        enroller: Enroller,
        now: @escaping @Sendable () -> Moment,
        sleep: @escaping @Sendable (_ milliseconds: Int) async throws -> Void,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        progress: @escaping @Sendable (SyncAction) -> Void = { _ in }
    ) {
        self.replica = replica
        self.client = client
        self.enroller = enroller
        self.now = now
        self.sleep = sleep
        self.jitter = jitter
        self.progress = progress
    }

    /// Pushes local changes and pulls remote ones until both sides agree or nothing helps.
    ///
    /// Throws `CancellationError` if the task is cancelled, or a database error if the result
    /// cannot be stored.
    package func sync() async throws -> SyncResult {
        var engine = SyncEngine()
        var action = engine.handle(.begin)
        while true {
            progress(action)
            if case .finish(let result) = action { return try await noted(result) }
            action = engine.handle(try await event(of: action))
        }
    }

    private func noted(_ result: SyncResult) async throws -> SyncResult {
        var result = result
        if result.pending > 0 {
            // Later control sets may have settled what could not be read when it came.
            let waiting = try await replica.read { try $0.maintenance.status() }.pending
            result.pending = min(result.pending, waiting)
        }
        if let trouble = result.trouble {
            try await replica.write { try $0.identity.setTrouble(trouble) }
        } else if result.end == .complete {
            try await replica.write { try $0.identity.setLastSync(now().wall) }
        }
        return result
    }

    private func event(of action: SyncAction) async throws -> SyncEvent {
        do {
            return try await perform(action)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .failed(SyncFailure(error), jitter: jitter())
        }
    }

    private func perform(_ action: SyncAction) async throws -> SyncEvent {
        switch action {
        case .prepare(let after): return .prepared(try await prepare(after: after))
        case .send(let request):
            let reply = try await client.sync(request)
            try await storeAnchor()
            return .replied(reply, to: request)
        case .take(let reply, let request): return .taken(try await take(reply, of: request))
        case .renameReplica:
            try await replica.write { try $0.overlay.renameReplica(at: now().wall) }
            return .renamed
        case .rebase(let space):
            try await replica.write { try $0.rebase.startOver(space, at: now().wall) }
            return .rebased
        case .host(let space):
            return .hosted(try await host(space))
        case .repair(let space, let attempt):
            try await repair(space, attempt: attempt)
            return .rebased
        case .offer(let space, let place):
            return .offered(try await offer(space, after: place), space)
        case .bring(let chunks): return .brought(try await bring(chunks))
        case .readmit:
            try await readmit()
            return .readmitted
        case .listWanted(let limit): return .wanted(try await wanted(limit: limit))
        case .fetch(let chunk): return try await fetched(chunk)
        case .wait(let milliseconds):
            try await sleep(milliseconds)
            return .woke
        case .finish: preconditionFailure("a finished sync does nothing")
        }
    }
}

extension Synchronizer {
    private func prepare(after: [Identifier: UInt64]) async throws -> SyncRequest {
        let spaces = try await presentSpaces()
        try await learnTime(spaces)
        try await shareWithOwnDevices()
        try await replica.write { _ = try $0.sealer.seal(at: now()) }
        return try await replica.read { parts in
            let name = try parts.identity.current().replica
            var room = RequestRoom(bytes: Self.pushByteLimit)
            return SyncRequest(
                spaces: try spaces.map { space in
                    SyncRequest.SpaceRequest(
                        space: space.id,
                        replica: name,
                        cursor: space.merged,
                        items: try parts.queue.items(
                            of: space.id,
                            after: after[space.id],
                            into: &room
                        )
                    )
                }
            )
        }
    }

    /// Asks the server for the time before changes are sealed, if the wall clock is in doubt.
    ///
    /// That is so if no time is known for this boot, or if the wall clock deviates from it. The
    /// known time may be wrong too: the server's clock may have been wrong, or the machine was
    /// paused since. A sealed stamp cannot be corrected.
    private func learnTime(_ spaces: [SpaceSummary]) async throws {
        let offset = await client.anchor?.offsetMilliseconds(at: now())?.magnitude
        guard offset ?? .max > ClockAnchor.toleratedError else { return }
        for space in spaces
        where try await replica.read({ try $0.unsealed.hasChanges(in: space.id) }) {
            _ = try await client.sync(SyncRequest(spaces: []))
            return try await storeAnchor()
        }
    }

    private func storeAnchor() async throws {
        if let anchor = await client.anchor {
            try await replica.write { try $0.clockPeriods.learn(anchor) }
        }
    }

    private func take(_ reply: SyncReply, of request: SyncRequest) async throws -> [SpaceOutcome] {
        var outcomes: [SpaceOutcome] = []
        for (asked, answered) in zip(request.spaces, reply.spaces) {
            outcomes.append(try await take(answered, of: asked))
        }
        if outcomes.allSatisfy({ $0.isDone || $0.problem != nil }), !outcomes.isEmpty {
            // What came may be a device to let into shared spaces, or a space to enter.
            let hasShared = try await shareWithOwnDevices()
            let hasEntered = try await enterListedSpaces()
            outcomes[0].hasMore = hasShared || hasEntered
        }
        return outcomes
    }

    private func take(
        _ reply: SyncReply.SpaceReply,
        of request: SyncRequest.SpaceRequest
    ) async throws -> SpaceOutcome {
        var outcome = SpaceOutcome(space: request.space)
        if !reply.results.isEmpty {
            outcome.judged = try await replica.write {
                try $0.queue.recordVerdicts(reply.results, of: request.items)
            }
        }
        outcome.note(reply)
        if let held = reply.held, try await !isOwn(held, request) { outcome.isForeignHead = true }
        outcome.isOtherHistory = reply.problem == ProblemType.cursorReset.rawValue
        guard !outcome.isForeignHead, let page = reply.page else { return outcome }
        let merged: MergeOutcome
        do {
            merged = try await mergeAll(page, of: request, reply)
        } catch ReplicaError.historyChanged {
            outcome.isOtherHistory = true
            return outcome
        }
        outcome.wanted = reply.wanted
        outcome.merged = merged
        if merged.isAtHead, try await bring(setsAt: reply.gaps, in: request.space) {
            // What the server lacked may have been all that was wrong.
            outcome.problem = nil
        }
        let (hasUnsent, hasOrphans) = try await replica.read {
            (
                try $0.queue.hasUnsent(in: request.space),
                // What a chain that is not followed lacks cannot be brought.
                try merged.isAtHead && merged.revived == nil
                    && $0.backfill.hasOrphans(in: request.space)
            )
        }
        outcome.isDone = merged.isAtHead && (!hasUnsent || !outcome.rejections.isEmpty)
        outcome.hasOrphans = hasOrphans
        return outcome
    }

    /// Merges a page, and at the end of the log what waited or came incomplete.
    private func mergeAll(
        _ page: Page,
        of request: SyncRequest.SpaceRequest,
        _ reply: SyncReply.SpaceReply
    ) async throws -> MergeOutcome {
        let space = request.space
        let merged = try await merge(page, of: request, reply.backup)
        let readable = try await mergePending(merged, in: space)
        return try await mergeAgain(readable, of: page.epoch, in: space)
    }

    /// Returns whether this database sealed a head that the server names, and notes a signature that the
    /// server lacks.
    ///
    /// If not, tells a copy of this database from a forgery: only this device can have signed it.
    private func isOwn(
        _ held: NamedHead,
        _ request: SyncRequest.SpaceRequest
    ) async throws -> Bool {
        let (isOwn, unsigned) = try await replica.read {
            (
                try $0.queue.isOwnHead(held.head, by: request.replica, in: request.space),
                try $0.signedHeads.unsignedOwn(held, of: request.replica, in: request.space)
            )
        }
        if let unsigned { try await replica.write { try $0.signedHeads.noteLacking(unsigned) } }
        guard !isOwn, held.signature != nil else { return isOwn }
        try await replica.write {
            try $0.signedHeads.judge(
                held,
                of: request.replica,
                in: request.space,
                at: now().wall
            )
        }
        return isOwn
    }

    private func merge(
        _ page: Page,
        of request: SyncRequest.SpaceRequest,
        _ backup: BackupMark?
    ) async throws -> MergeOutcome {
        let moment = now()
        return try await replica.write {
            let merged = try $0.merger.merge(
                page,
                after: request.cursor,
                into: request.space,
                at: moment
            )
            try $0.spaces.recordBackup(backup, of: request.space)
            return merged
        }
    }

    /// Fetches the wraps of a key epoch that entries of a page or own control sets wait for, and
    /// merges and seals these.
    private func mergePending(_ merged: MergeOutcome, in space: Identifier) async throws
        -> MergeOutcome
    {
        guard merged.pending > 0 || merged.isSecretWanted,
            let wraps = try await replica.read({ try $0.controls.missingWraps(of: space) })
        else { return merged }
        let chunk = WantedChunk(space: space, hash: wraps)
        do {
            guard case .fetched(_, isHere: true) = try await fetched(chunk) else { return merged }
        } catch let error where merged.pending == 0 && SyncFailure(error).isPassing {
            // The next sync tries again; what is to be sent must not wait for it.
            return merged
        }
        return try await replica.write {
            try $0.merger.mergePending(merged, in: space, at: now())
        }
    }

    /// Asks for the entries again that came without their body or their signature, each once a round.
    private func mergeAgain(
        _ merged: MergeOutcome,
        of epoch: Identifier,
        in space: Identifier
    ) async throws -> MergeOutcome {
        guard merged.isAtHead, merged.missing > 0 || merged.unsigned > 0 else { return merged }
        var (merged, place): (MergeOutcome, UInt64) = (merged, 0)
        while true {
            let positions = try await replica.read { [place, time = now()] in
                let time = try $0.identity.current().time(at: time)
                return try $0.incomplete.positions(in: space, after: place, at: time)
            }
            guard let last = positions.last else { return merged }
            let entries = try await client.entries(
                EntriesRequest(space: space, epoch: epoch, positions: positions)
            ).entries
            // The server may leave out the last ones.
            let answered = entries.last.flatMap { try? LogEntry(decoding: $0[...]) }?.position
            place = answered.map { max(min($0, last), place + 1) } ?? last
            merged = try await replica.write { [merged, place] in
                try $0.merger.mergeAgain(
                    entries,
                    at: positions.filter { $0 <= place },
                    of: epoch,
                    merged,
                    in: space,
                    at: now()
                )
            }
        }
    }

    private func wanted(limit: Int) async throws -> [WantedChunk] {
        try await replica.read { parts in
            try parts.spaces.all().reduce(into: []) { wanted, space in
                wanted += try parts.chunks.wanted(of: space.id, limit: limit - wanted.count)
                    .map { WantedChunk(space: space.id, hash: $0) }
            }
        }
    }

    /// Downloads a chunk; asks once more if the bytes are wrong, as a fault of the network makes them.
    private func fetched(_ chunk: WantedChunk) async throws -> SyncEvent {
        for _ in 0..<2 {
            do {
                return .fetched(chunk, isHere: try await fetch(chunk))
            } catch ReplicaError.wrongChunk {
                continue
            }
        }
        return .damaged(chunk)
    }

    /// Downloads a chunk; returns false if the server does not have it.
    ///
    /// Throws ``ReplicaError/wrongChunk(_:)`` for other bytes.
    private func fetch(_ chunk: WantedChunk) async throws -> Bool {
        do {
            let path = "/v1/spaces/\(chunk.space)/chunks/\(chunk.hash)"
            let response = try await client.send(HTTPRequest("GET", path))
            try await replica.write {
                try $0.chunks.store(response.body, of: chunk.hash)
                guard (try? KeyWraps(chunk: response.body)) != nil else { return }
                try $0.controls.learnSecrets(of: chunk.space)
            }
            return true
        } catch let problem as ServerProblem where problem.type == .notFound {
            return false
        }
    }
}

extension SpaceOutcome {
    fileprivate mutating func note(_ reply: SyncReply.SpaceReply) {
        problem = reply.problem
        for result in reply.results {
            switch result {
            case .judged: break
            case .failed("sequence-gap", let expected) where expected > 0: gap = expected - 1
            case .failed("fork", _): isForeignHead = true
            case .failed(let problem, _): rejections.append(problem)
            }
        }
    }
}

extension SyncFailure {
    /// Whether time alone may help.
    fileprivate var isPassing: Bool {
        switch self {
        case .unreachable, .busy: true
        case .untrusted, .refused, .local: false
        }
    }

    /// Classifies an error by its remedy.
    package init(_ error: any Error) {
        switch error {
        case let error as TransportError:
            switch error {
            case .wrongKey, .notTrusted, .noTLS: self = .untrusted(error)
            case .unreachable, .noHTTP, .timedOut, .replyTooLarge: self = .unreachable(error)
            }
        case let error as ServerProblem where error.type?.remedy == .retry || error.type == nil:
            self = .busy(ServerRefusal(error))
        case let error as ServerProblem:
            self = .refused(ServerRefusal(error))
        case let error as CBORError:
            // A captive portal replies with pages of its own.
            self = .busy(ServerRefusal(type: nil, detail: "the reply is malformed: \(error)"))
        default: self = .local(ReplicaFault(error))
        }
    }
}
