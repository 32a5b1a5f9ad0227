internal import SyncCore

/// The decision on sets at the end of one space's log: facts in, rows out.
///
/// Uses no clock, disk or randomness of its own, so every store decides alike.
struct LogDecision {
    /// The device that makes the request, which is in the space, or was if it appends.
    ///
    /// Nil for a device that is about to enter.
    let asker: Device?
    let now: UnixTime
    /// The key that authenticates the receipts.
    let receipts: MACKey
    var facts: LogFacts
    /// The rows to store.
    var rows = LogRows()

    /// Appends a set of the asking device, or returns the reason why not.
    ///
    /// Idempotent: a set that is in the log gets its stored verdict. A set whose author saw another
    /// log in this epoch is not taken: it may name control sets that this log lacks.
    ///
    /// - Parameter positions: the positions that sets of this epoch name as seen.
    mutating func append(_ set: PushedSet, comparing positions: Set<LogPosition>) -> PushResult {
        if let known = facts.set(of: set.upload)?.result {
            sign(set.upload, set.headSignature)
            return told(known)
        }
        guard let asker else { return .failed(.notFound, 0) }
        let seen = set.upload.header.seen
        let isSameLog = facts.chainHashes[seen.position] == seen.chain
        guard isSameLog || !positions.contains(seen.position) else {
            return .failed(.cursorReset, 0)
        }
        return told(facts.kept == nil ? admit(set, by: asker) : keep(set, of: asker))
    }

    /// Judges a set of a device that the space has shut out, unless too much is kept of its user.
    private mutating func keep(_ set: PushedSet, of asker: Device) -> PushResult {
        let chunks = set.chunks.values.reduce(0) { $0 + $1.count }
        let byteCount = set.upload.bytes.count + set.body.count + chunks
        let sum = (facts.kept ?? 0) + byteCount
        guard sum <= StoreLimits.keptBytes else { return .failed(.rateLimited, 0) }
        let result = admit(set, by: asker)
        if case .judged = result {
            facts.kept = sum
            rows.kept = (asker.id, (rows.kept?.byteCount ?? 0) + byteCount)
        }
        return result
    }

    /// What the asking device is told: the position in the log only if it may read that.
    private func told(_ result: PushResult) -> PushResult {
        guard facts.kept != nil, case .judged(_, let verdict, let reason) = result else {
            return result
        }
        return .judged(position: 0, verdict, reason: reason)
    }

    /// Judges a set and appends it.
    ///
    /// - Parameter isCovered: whether a signature fixes the set's place in its chain, so that it need
    ///   not follow the replica's head.
    mutating func admit(
        _ set: PushedSet,
        by device: Device,
        isCovered: Bool = false
    ) -> PushResult {
        if case .control(let control) = set.content { return admit(control, set, isCovered) }
        let header = set.upload.header
        let replica = facts.replicas[header.replica] ?? ReplicaState()
        func failed(_ problem: ProblemType) -> PushResult { .failed(problem, replica.nextSequence) }
        if !isCovered, let obstacle = replica.obstacle(to: header, by: device.id) {
            return failed(obstacle)
        }
        let answer = AdmissionPolicy(facts.chain).answer(to: header, hash: set.upload.hash)
        // A member who has the control sets that it names must bring them first.
        guard answer != .pending else { return .failed(.sequenceGap, 0) }
        let (verdict, reason) = policy.verdict(on: set, answer)
        if verdict != .refused {
            guard isWhole(set) else { return failed(.chunksMissing) }
            storeChunks(set.chunks, of: header)
        }
        advance(set.upload, isCovered: isCovered)
        sign(set.upload, set.headSignature)
        return appendSet(set.upload, body: set.body, verdict, reason)
    }

    /// Makes a set the head of its replica, unless a covered one lies before it.
    mutating func advance(_ upload: Upload, isCovered: Bool) {
        guard !isCovered else { return returnReplica(of: upload) }
        let head = ReplicaHead(sequence: upload.header.sequence, hash: upload.hash)
        setReplica(
            upload.header.replica,
            to: ReplicaState(owner: upload.header.device, head: head)
        )
    }

    private var policy: VerdictPolicy {
        VerdictPolicy(
            admission: AdmissionPolicy(facts.chain),
            greatest: facts.end.greatest,
            now: now,
            collections: .standard
        )
    }

    /// Keeps the signature over the head of a replica; members verify it.
    mutating func sign(_ upload: Upload, _ signature: Signature?) {
        let header = upload.header
        guard let signature, var replica = facts.replicas[header.replica],
            replica.head?.hash == upload.hash
        else { return }
        (replica.signature, replica.controls) = (signature, header.seen.controls)
        setReplica(header.replica, to: replica)
    }

    /// Notes how many control sets an earlier log of this server had.
    ///
    /// Only what a receipt proves counts: anyone could name a number that the chain never reaches, and
    /// so prevent a revocation.
    mutating func name(_ controls: UInt64) {
        guard controls > facts.end.named, !facts.end.hasOtherChain else { return }
        facts.end.named = controls
        rows.end = facts.end
    }

    /// Whether each chunk of the set was uploaded with it or is stored.
    ///
    /// A set with missing chunks gets no verdict, so that every acknowledged set is complete.
    func isWhole(_ set: PushedSet) -> Bool {
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
            of: upload.name
        )
        if verdict == .accepted || verdict == .held && isAdopted(upload) { count(upload) }
        let logged = LoggedSet(
            position: facts.end.head,
            hash: upload.hash,
            verdict: verdict,
            reason: reason,
            hasBody: body != nil
        )
        facts.sets[upload.slot, default: []].append(logged)
        return logged.result
    }

    /// Notes the stamps of a set that counts.
    ///
    /// The stamp of a control set is its index, and no clock.
    mutating func count(_ upload: Upload) {
        guard upload.header.stamps.upperBound > facts.end.greatest else { return }
        facts.end.greatest = upload.header.stamps.upperBound
        rows.end = facts.end
    }

    /// Appends an entry and advances the log's end.
    private mutating func appendEntry(
        _ content: LogEntryRow.Content,
        of name: SetName
    ) {
        var end = facts.end
        end.head += 1
        end.chain = LogChain.link(after: end.chain, name, content.verdict)
        let entry = LogEntryRow(
            position: end.head,
            name: name,
            content: content,
            receipt: receipts.tag(of: name.judged(content.verdict)),
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
