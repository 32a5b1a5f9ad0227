internal import SyncCore

/// The decision about sets at the end of one space's log: facts in, rows out.
///
/// Uses no clock, disk or randomness of its own, so every store decides alike.
struct LogDecision {
    /// The device that makes the request; its person is a member of the space.
    let asker: Device
    let now: UnixTime
    /// The key that authenticates the receipts.
    let receipts: MACKey
    var facts: LogFacts
    /// The rows to store.
    var rows = LogRows()

    /// Appends a set of the asking device, or returns the reason why not.
    ///
    /// Idempotent: a set that is in the log gets its stored verdict.
    mutating func append(_ set: PushedSet) -> PushResult {
        facts.set(of: set.upload)?.result ?? admit(set, by: asker)
    }

    /// Judges a set and appends it.
    mutating func admit(_ set: PushedSet, by device: Device) -> PushResult {
        let header = set.upload.header
        let replica = facts.replicas[header.replica] ?? ReplicaState()
        func failed(_ problem: ProblemType) -> PushResult { .failed(problem, replica.nextSequence) }
        if let obstacle = replica.obstacle(to: header, by: device.id) { return failed(obstacle) }
        guard let author = facts.members[device.user] else { return .failed(.notFound, 0) }
        let (verdict, reason) = policy(for: author).verdict(on: set)
        if verdict != .refused {
            guard isWhole(set) else { return failed(.chunksMissing) }
            storeChunks(set.chunks, of: header)
        }
        let head = ReplicaHead(sequence: header.sequence, hash: set.upload.hash)
        setReplica(header.replica, to: ReplicaState(owner: device.id, head: head))
        return appendSet(set.upload, body: set.body, verdict, reason)
    }

    private func policy(for author: Member) -> AdmissionPolicy {
        AdmissionPolicy(
            role: author.role,
            user: author.user,
            devices: author.devices,
            greatest: facts.end.greatest,
            now: now,
            collections: .standard
        )
    }

    /// Whether each chunk of the set was uploaded with it or is stored.
    ///
    /// A set with missing chunks gets no verdict, so that every acknowledged set is complete.
    private func isWhole(_ set: PushedSet) -> Bool {
        set.upload.header.chunks.allSatisfy {
            set.chunks[$0.hash] != nil || facts.chunks.contains($0.hash)
        }
    }
}

extension LogDecision {
    mutating func storeChunks(_ chunks: [Digest: [UInt8]], of header: Header) {
        for name in header.chunks {
            guard let bytes = chunks[name.hash], facts.chunks.insert(name.hash).inserted else {
                continue
            }
            rows.chunks.append((name.hash, bytes))
        }
    }

    mutating func setReplica(_ id: Identifier, to state: ReplicaState) {
        facts.replicas[id] = state
        rows.setReplica(id, to: state)
    }

    mutating func appendSet(
        _ upload: Upload,
        body: [UInt8]?,
        _ verdict: Verdict,
        _ reason: String
    ) -> PushResult {
        appendEntry(
            LogEntryRow.Content(verdict: verdict, reason: reason, upload: upload.bytes, body: body),
            as: .verdict(verdict),
            of: upload.name,
            upTo: upload.header.stamps.upperBound
        )
        let logged = LoggedSet(
            position: facts.end.head,
            hash: upload.hash,
            verdict: verdict,
            reason: reason,
            hasBody: body != nil,
            header: verdict == .held ? upload.header : nil
        )
        facts.sets[upload.slot, default: []].append(logged)
        return logged.result
    }

    /// Appends an entry and advances the log's end.
    mutating func appendEntry(
        _ content: LogEntryRow.Content,
        as judgement: SetName.Judgement,
        of name: SetName,
        upTo stamp: UInt64
    ) {
        var end = facts.end
        end.head += 1
        end.chain = LogChain.link(after: end.chain, name, judgement)
        if judgement.counts { end.greatest = max(end.greatest, stamp) }
        let entry = LogEntryRow(
            position: end.head,
            name: name,
            content: content,
            receipt: receipts.tag(of: name.judged(judgement)),
            chain: end.chain,
            received: now
        )
        rows.entries.append(entry)
        (facts.end, rows.end) = (end, end)
    }
}

extension PushResult {
    static func failed(_ type: ProblemType, _ expected: UInt64) -> PushResult {
        .failed(problem: type.rawValue, sequence: expected)
    }
}
