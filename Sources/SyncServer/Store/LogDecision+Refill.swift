internal import SyncCore

extension LogDecision {
    /// Appends a set that an earlier log had, or returns the reason why not.
    ///
    /// If a receipt proves the earlier verdict, that verdict is stored again, whatever the order of
    /// the sets, and missing chunks become wanted. Any other set is judged as if its author had
    /// pushed it now.
    mutating func refill(_ set: RefilledSet) -> PushResult {
        if let before = facts.set(of: set.upload) {
            sign(set.upload, set.headSignature)
            complete(before, from: set)
            return before.result
        }
        guard let proven = set.proven else { return judgeAnew(set) }
        guard proven == .accepted else { return repeatVerdict(proven, on: set) }
        name(set.upload.header.seen.controls)
        if case .control(let control) = set.content { return repeatControl(control, set) }
        switch AdmissionPolicy(facts.chain).answer(to: set.upload.header, hash: set.upload.hash) {
        case .valid(let role):
            guard allows(set, as: role) else {
                return repeatVerdict(.held, on: set, because: Self.role)
            }
            return repeatVerdict(.accepted, on: set)
        case .held: return repeatVerdict(.held, on: set, because: Self.cut)
        // A member who has the control sets that it names must bring them first.
        case .pending: return .failed(.sequenceGap, 0)
        // Another control set let its device in, so its changes need another set.
        case .void: return .failed(.unauthorized, 0)
        }
    }

    /// Whether a role allows what a set writes, as far as its body is here; members judge it again.
    private func allows(_ set: RefilledSet, as role: Role) -> Bool {
        guard case .opened(let opened)? = set.content else { return true }
        let policy = AdmissionPolicy(facts.chain)
        return policy.author(of: set.upload.header, as: role).map {
            policy.allows(opened.changes, by: $0, .standard, isRepeated: true)
        } ?? false
    }

    /// Whether an adopted set can count, as far as its body is here.
    private func canCount(_ set: RefilledSet) -> Bool {
        guard case .opened(let opened)? = set.content else { return true }
        let policy = AdmissionPolicy(facts.chain)
        return policy.obstacle(toAdopting: opened, hash: set.upload.hash, .standard) == nil
    }

    private mutating func repeatVerdict(
        _ verdict: Verdict,
        on set: RefilledSet,
        because reason: String? = nil
    ) -> PushResult {
        let header = set.upload.header
        let reason = reason ?? set.reason
        // An accepted set without its body would be lost to all devices that join later. No device
        // drops bodies yet, so one that has the body can still bring the set.
        guard verdict != .accepted || set.body != nil else {
            let replica = facts.replicas[header.replica] ?? ReplicaState()
            return .failed(.sequenceGap, replica.nextSequence)
        }
        let isAdopted = verdict == .held && isAdopted(set.upload)
        guard !isAdopted || canCount(set) else {
            returnReplica(of: set.upload)
            return appendSet(set.upload, body: set.body, .refused, Self.role)
        }
        returnReplica(of: set.upload)
        if verdict == .accepted || isAdopted || [Self.cut, Self.role].contains(reason) {
            storeChunks(set.chunks, of: header)
            rows.wanted += header.chunks.map(\.hash)
        }
        sign(set.upload, set.headSignature)
        let isKnown = verdict != .accepted && Self.reasons.contains(reason)
        return appendSet(set.upload, body: set.body, verdict, isKnown ? reason : "")
    }

    /// The reasons that a server gives.
    ///
    /// Receipts do not cover the reason, so an unknown one is dropped.
    private static let reasons: Set<String> = [
        "clock", role, "schema", "upgrade", "quota", "stale", "card", cut,
    ]

    /// Restores a replica's owner and head as they were after a set.
    ///
    /// The replica is closed if another device has pushed to it meanwhile, or if the log has
    /// another set of the same name.
    mutating func returnReplica(of upload: Upload) {
        let header = upload.header
        var replica = facts.replicas[header.replica] ?? ReplicaState()
        let isTaken = facts.sets[upload.slot]?.isEmpty == false
        if replica.isForeign(to: header.device) || isTaken { replica.isClosed = true }
        replica.owner = header.device
        // Earlier sets may be lost for good, so gaps are allowed here.
        if header.sequence >= replica.nextSequence {
            replica.head = ReplicaHead(sequence: header.sequence, hash: upload.hash)
            replica.signature = nil
        }
        setReplica(header.replica, to: replica)
    }

    private mutating func judgeAnew(_ set: RefilledSet) -> PushResult {
        let isCovered = set.isCovered && facts.sets[set.upload.slot]?.isEmpty != false
        guard let body = set.body, let content = set.content else {
            if isCovered, isStale(set.upload) {
                returnReplica(of: set.upload)
                return appendSet(set.upload, body: nil, .refused, "stale")
            }
            // Nobody can judge it, and no receipt tells how it was judged.
            return .failed(.unauthorized, 0)
        }
        guard let author = facts.devices[set.upload.header.device] else {
            return .failed(.unauthorized, 0)
        }
        let pushed = PushedSet(
            upload: set.upload,
            body: body,
            content: content,
            chunks: set.chunks,
            headSignature: set.headSignature
        )
        return admit(pushed, by: author, isCovered: isCovered)
    }

    /// Whether the control chain has another set at the index of this one.
    private func isStale(_ upload: Upload) -> Bool {
        guard let index = upload.header.control?.index,
            let known = facts.chain.hash(ofFirst: index + 1)
        else { return false }
        return known != upload.hash
    }

    /// Adds the body to a held set that has none: only the device of its author has it.
    private mutating func complete(_ held: LoggedSet, from set: RefilledSet) {
        guard held.verdict == .held, !held.hasBody, let body = set.body else { return }
        rows.bodies.append((held.position, body))
        storeChunks(set.chunks, of: set.upload.header)
        facts.sets[set.upload.slot] = facts.sets[set.upload.slot]?.map { known in
            var known = known
            if known.position == held.position { known.hasBody = true }
            return known
        }
    }
}
