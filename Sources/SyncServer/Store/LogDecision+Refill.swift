internal import SyncCore

extension LogDecision {
    /// Appends a set that an earlier log had, or says why not.
    ///
    /// Where its receipt proves what was said of it, that is said again, in whatever order sets
    /// come, and chunks that nobody brings are wanted; anything else is judged as if its author had
    /// pushed it now.
    mutating func refill(_ set: RefilledSet) -> PushResult {
        if let before = facts.set(of: set.upload) {
            return adoptAgain(set, completed(before, from: set)) ?? before.result
        }
        guard let proven = set.proven else { return judgeAnew(set) }
        return repeatVerdict(proven.verdict, on: set)
    }

    private mutating func repeatVerdict(_ verdict: Verdict, on set: RefilledSet) -> PushResult {
        let header = set.upload.header
        // Nothing drops bodies yet: who leaves one out would erase it for all who come later, so
        // the set waits for who has it.
        guard verdict != .accepted || set.body != nil else {
            let replica = facts.replicas[header.replica] ?? ReplicaState()
            return .failed(.sequenceGap, replica.nextSequence)
        }
        returnReplica(of: set.upload)
        if verdict == .accepted {
            storeChunks(set.chunks, of: header)
            rows.wanted += header.chunks.map(\.hash)
        }
        let isKnown = verdict != .accepted && Self.reasons.contains(set.reason)
        return appendSet(set.upload, body: set.body, verdict, isKnown ? set.reason : "")
    }

    /// What a server of ours says; no receipt covers it.
    private static let reasons: Set<String> = ["clock", "role", "schema", "upgrade", "quota"]

    /// Gives a replica back to the device of a set, as after that set.
    ///
    /// It is closed where another device pushed under its name before this one came back, and where
    /// another set goes by the same name.
    private mutating func returnReplica(of upload: Upload) {
        let header = upload.header
        var replica = facts.replicas[header.replica] ?? ReplicaState()
        let isTaken = facts.sets[upload.slot]?.isEmpty == false
        if replica.isForeign(to: header.device) || isTaken { replica.isClosed = true }
        replica.owner = header.device
        // What stood before may be lost for good: no chain waits for it.
        if header.sequence >= replica.nextSequence {
            replica.head = ReplicaHead(sequence: header.sequence, hash: upload.hash)
        }
        setReplica(header.replica, to: replica)
    }

    /// Where the log has a set as held whose adoption it lost, adopts it again.
    private mutating func adoptAgain(_ set: RefilledSet, _ held: LoggedSet) -> PushResult? {
        guard case .adopted(let admin) = set.proven, held.verdict == .held else { return nil }
        if let position = held.adoption {
            return .judged(position: position, .accepted, reason: "")
        }
        storeChunks(set.chunks, of: set.upload.header)
        return adopt(held, named: set.upload.slot, by: admin)
            .map { .judged(position: $0, .accepted, reason: "") }
    }

    private mutating func judgeAnew(_ set: RefilledSet) -> PushResult {
        guard let body = set.body, let content = set.content else {
            return .failed(.badEncoding, 0)
        }
        guard let author = facts.devices[set.upload.header.device], !author.isRevoked else {
            return .failed(.unauthorized, 0)
        }
        let pushed = PushedSet(
            upload: set.upload,
            body: body,
            content: content,
            chunks: set.chunks
        )
        return admit(pushed, by: author)
    }

    /// The set in the log with the body that is brought: whoever brought a held set before may not
    /// have had it; only its author has.
    private mutating func completed(_ held: LoggedSet, from set: RefilledSet) -> LoggedSet {
        guard held.verdict == .held, !held.hasBody, let body = set.body else { return held }
        rows.bodies.append((held.position, body))
        update(held, of: set.upload.slot) { $0.hasBody = true }
        var held = held
        held.hasBody = true
        return held
    }
}

extension SetName.Judgement {
    /// What became of the set in the end.
    fileprivate var verdict: Verdict {
        switch self {
        case .verdict(let verdict): verdict
        case .adopted: .accepted
        }
    }
}
