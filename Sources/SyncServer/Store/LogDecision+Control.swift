internal import SyncCore

/// Control sets: one is accepted for each index of the control chain.
extension LogDecision {
    /// Judges a control set that its author pushed, and appends it with its verdict.
    mutating func admit(
        _ control: ControlSet,
        _ set: PushedSet,
        _ isCovered: Bool
    ) -> PushResult {
        let header = set.upload.header
        let replica = facts.replicas[header.replica] ?? ReplicaState()
        func failed(_ problem: ProblemType) -> PushResult { .failed(problem, replica.nextSequence) }
        if !isCovered, let obstacle = replica.obstacle(to: header, by: header.device) {
            return failed(obstacle)
        }
        guard isChainWhole else { return .failed(.sequenceGap, 0) }
        guard isWhole(set) else { return failed(.chunksMissing) }
        do {
            try accept(control, set)
            return appendSet(set.upload, body: set.body, .accepted, "")
        } catch {
            advance(set.upload, isCovered: isCovered)
            return appendSet(set.upload, body: set.body, .refused, error.reason)
        }
    }

    /// Takes a control set by which a device enters, or returns the reason why not.
    ///
    /// A set that does not count leaves no trace: its author is no member.
    mutating func enter(_ set: RefilledSet) -> PushResult {
        if let known = facts.set(of: set.upload)?.result { return known }
        guard case .control(let control) = set.content, let body = set.body else {
            return .failed(.badEncoding, 0)
        }
        if facts.chain.hash(ofFirst: control.place.index + 1) != nil { return .failed(.stale, 0) }
        guard set.proven == nil || !isRevived(set.upload.header.device, at: control.place.index)
        else { return .failed(.stale, 0) }
        let isNext = control.place.index == facts.chain.count
        guard isChainWhole && isNext || set.proven != nil else {
            return .failed(.sequenceGap, 0)
        }
        let pushed = PushedSet(
            upload: set.upload,
            body: body,
            content: .control(control),
            chunks: set.chunks
        )
        guard isWhole(pushed) || set.proven != nil else { return .failed(.chunksMissing, 0) }
        do {
            try accept(control, pushed, isProven: set.proven != nil)
            return appendSet(set.upload, body: body, .accepted, "")
        } catch {
            return .failed(error.problem, 0)
        }
    }

    /// Takes a control set again that an earlier log of this server had accepted.
    mutating func repeatControl(_ control: ControlSet, _ set: RefilledSet) -> PushResult {
        let known = facts.chain.hash(ofFirst: control.place.index)
        guard known == nil || known == control.place.previous else { return refuseAgain(set) }
        guard control.place.index <= facts.chain.count else {
            // Devices bring most control sets in order. So the one before was probably refused, too.
            return facts.end.hasOtherChain ? refuseAgain(set) : .failed(.sequenceGap, 0)
        }
        let result = enter(set)
        return result == .failed(.stale, 0) ? refuseAgain(set) : result
    }

    /// Whether a device did something after the backup that was restored, and is revoked, which the
    /// backup did not know.
    ///
    /// It may have done it after it was revoked, at a server without its revocation. What it did before
    /// is done again by the others.
    private func isRevived(_ device: Identifier, at index: UInt64) -> Bool {
        facts.end.restored > 0 && index >= facts.end.restored
            && facts.devices[device]?.isRevoked == true
    }

    /// Stores a control set as refused that an earlier log had accepted, because another one stands
    /// in its place.
    ///
    /// Its signature keeps the hash chain of its replica connected.
    private mutating func refuseAgain(_ set: RefilledSet) -> PushResult {
        giveUpLostControls()
        returnReplica(of: set.upload)
        return appendSet(set.upload, body: set.body, .refused, "stale")
    }

    /// Stops waiting for control sets that were lost, because others stand in their places.
    private mutating func giveUpLostControls() {
        (facts.end.named, facts.end.hasOtherChain) = (facts.chain.count, true)
        rows.end = facts.end
    }

    /// Whether the chain has all control sets that anybody named.
    ///
    /// After a loss a new set at an old index would make a second history. In a whole chain a set that
    /// follows others which it lacks is stale: its author sealed these before it, and they were refused.
    private var isChainWhole: Bool { facts.chain.count >= facts.end.named }

    /// Continues the control chain and mirrors it.
    private mutating func accept(
        _ control: ControlSet,
        _ set: PushedSet,
        isProven: Bool = false
    ) throws(ControlError) {
        let stored = facts.wraps
        for case .epoch(let epoch) in control.body.actions {
            guard hasWraps(epoch, set) else { throw .forbidden(.epoch) }
        }
        let circumstances = ControlChain.Circumstances(
            now: isProven ? nil : now,
            heads: facts.heads
        ) { hash in
            set.chunks[hash].flatMap { try? KeyWraps(chunk: $0) } ?? stored[hash]
        }
        for card in control.body.actions.compactMap(\.newcomer) {
            guard facts.devices[card.device].map({ $0.user == card.user }) ?? true else {
                throw .forbidden(.card)
            }
        }
        // Members leave out what could not count, also if an earlier log took the control set.
        if !isProven { try checkAdoptions(by: control) }
        let before = facts.chain
        try facts.chain.apply(control, in: circumstances)
        countAdopted(by: control)
        let header = set.upload.header
        storeChunks(set.chunks, of: header)
        rows.wanted += header.chunks.map(\.hash).filter { !facts.chunks.contains($0) }
        advanceReplica(of: set.upload)
        facts.end.controls = facts.chain.count
        facts.end.controlHead = facts.chain.head
        facts.end.named = max(facts.end.named, facts.chain.count)
        rows.controls.append((control.place.index, facts.end.head + 1))
        mirror(since: before)
    }

    /// Makes an accepted control set the head of its replica, unless that has later sets.
    ///
    /// A set that comes again after a loss may have a name that another one took meanwhile.
    private mutating func advanceReplica(of upload: Upload) {
        let header = upload.header
        let present = facts.replicas[header.replica] ?? ReplicaState()
        var replica = present
        if header.sequence >= present.nextSequence {
            let head = ReplicaHead(sequence: header.sequence, hash: upload.hash)
            replica = ReplicaState(owner: header.device, head: head, isClosed: present.isClosed)
        }
        if facts.sets[upload.slot]?.isEmpty == false { replica.isClosed = true }
        if replica != present { setReplica(header.replica, to: replica) }
    }

    /// Whether the chunk of a key epoch holds wraps, or is not there yet.
    private func hasWraps(_ epoch: ControlAction.KeyEpoch, _ set: PushedSet) -> Bool {
        if let bytes = set.chunks[epoch.wraps] { return (try? KeyWraps(chunk: bytes)) != nil }
        return facts.wraps[epoch.wraps] != nil || !facts.chunks.contains(epoch.wraps)
    }

    /// Repeats in the tables what a control set changed.
    private mutating func mirror(since before: ControlChain) {
        let chain = facts.chain
        if before.count == 0, let user = chain.user, let kind = chain.kind {
            rows.founding = (user, kind)
        }
        for (id, known) in chain.cards.sorted(by: { $0.key < $1.key })
        where before.cards[id]?.isLive != known.isLive {
            rows.cards.append((known.card, known.isLive))
            // Only its user can shut a device out of every space.
            if chain.kind == .own, !known.isLive { rows.revoked.append(id) }
        }
        for (user, member) in chain.members.sorted(by: { $0.key < $1.key })
        where before.members[user]?.role != member.role {
            rows.roles.append((user, member.role))
        }
    }
}

extension ControlError {
    /// The reason of the verdict; a stale set is sealed again by its author.
    fileprivate var reason: String {
        switch self {
        case .stale, .forbidden(.cut): "stale"
        case .malformed, .unknownAction, .wrongBody: "schema"
        case .badSignature, .forbidden: LogDecision.role
        }
    }

    fileprivate var problem: ProblemType {
        switch self {
        case .stale, .forbidden(.cut): .stale
        case .malformed, .unknownAction, .wrongBody: .badEncoding
        case .badSignature: .badMAC
        case .forbidden(.invitation): .unauthorized
        case .forbidden: .forbidden
        }
    }
}
