struct LogMerge {
    let space: Identifier
    let number: Int64
    /// The device whose database this is.
    let device: Identifier
    /// The position before the first entry, and the link there.
    let start: UInt64
    let startChain: Digest
    var epoch: Identifier
    var position: UInt64
    /// The chain hash, or nil after an unreadable entry: the link needs the entry's name.
    var chain: Digest?
    var fingerprint: Fingerprint
    var greatest: UInt64
    /// The cells of the sets to merge, with the numbers of the sets, or nil for a set that is not
    /// kept.
    var sets: [(cells: CellColumns, number: Int64?)] = []
    /// The links after `start`; nil for those that are not known.
    var links: [Digest?] = []
    /// The logs that this one goes on from, as the server names them.
    var past: [LogEnding] = []
    /// What the sets of the page say of the log: for each replica and log the latest that can be
    /// compared.
    var seen: [SeenClaim.Source: LogEnding] = [:]
    /// The sets that control sets of the page adopt.
    var adopted: [SetReference] = []
    /// Whether a control set of the page gave this person another role.
    var hasNewRole = false
    /// Own sets that the log holds or refuses.
    var declined: [QueuedSet] = []
    /// The newest set of each replica that came with its device's signature.
    var signatures: [Identifier: (upload: Upload, signature: Signature)] = [:]
    /// The last set of each replica, without control sets, which are signed themselves.
    var newest: [Identifier: Upload] = [:]
    /// Breaches that the page shows.
    var breaches: [(kind: Breach.Kind, detail: String)] = []
    /// Own control sets that the log refused because another one came first.
    var stale: [QueuedSet] = []
    /// The fields that this device could not write again for their owners.
    var leftOut: [String?] = []
    /// Other replicas' sets that an earlier log accepted and this one does not.
    var turned: [QueuedSet] = []
    /// Sets beyond the cut of a revoked device, which an earlier log accepted or which are own ones.
    var cut: [KnownSet] = []
    var merged = MergeOutcome()
    /// The count and size of all unreadable entries that are kept for the space.
    var unreadable = (entries: 0, bytes: 0)

    var cursor: LogPosition { LogPosition(epoch: epoch, position: position) }

    /// Notes a set and the signature over it, if it came with one.
    mutating func note(_ upload: Upload, signedWith signature: Signature?) {
        let replica = upload.header.replica
        // Of two sets with one name, the server counts the first one as the head.
        if upload.header.sequence > newest[replica]?.header.sequence ?? 0 {
            newest[replica] = upload
        }
        if let signature { signatures[replica] = (upload, signature) }
    }

    mutating func add(_ cells: CellColumns, of set: Int64?) { sets.append((cells, set)) }

    /// Counts the rows of a set that this merge accepts for the first time.
    ///
    /// A row that continues another one, such as the points of a track, counts as that one.
    mutating func count(_ rows: [Key], isOwn: Bool, in collections: CollectionRegistry) {
        for row in rows {
            let name = Key(collections.home(of: row.collection) ?? row.collection, row.row, "")
            if isOwn { merged.rows.sent.insert(name) } else { merged.rows.received.insert(name) }
        }
    }

    /// Moves past an entry, which must be at the next position.
    mutating func pass(_ entry: ParsedEntry) throws {
        guard entry.name.space == space else { throw ReplicaError.malformedPage(space: space) }
        let found = entry.entry.position
        guard found == position + 1 else {
            throw merged.entries == 0
                ? ReplicaError.historyChanged(space: space, position: found)
                : ReplicaError.malformedPage(space: space)
        }
        position = found
        merged.entries += 1
        chain = chain.map { LogChain.link(after: $0, entry.name, entry.verdict) }
        links.append(chain)
    }

    mutating func passOverUnreadable() {
        position += 1
        merged.entries += 1
        chain = nil
        links.append(nil)
    }

    /// The link at a position from `start` on, or nil if it is not known.
    func link(at position: UInt64) -> Digest? {
        position == start ? startChain : links[Int(position - start) - 1]
    }

    /// Notes what the author of a set was shown of the log.
    ///
    /// An own set counts as what this database was shown, which is known for the present log. What this
    /// device was shown of another log, before an older copy of its database was put back, counts too.
    mutating func noteSeen(by header: Header, isOwn: Bool) {
        let (position, chain) = (header.seen.position, header.seen.chain)
        let isOther = position.epoch != epoch
        guard position.position > 0, !isOwn || isOther, isShared(position) else { return }
        let isShownHere = isOwn || isOther && header.device == device
        let source = SeenClaim.Source(
            replica: isShownHere ? nil : header.replica,
            epoch: position.epoch
        )
        guard position.position > seen[source]?.position.position ?? 0 else { return }
        seen[source] = LogEnding(position: position, chain: chain)
    }

    /// Whether the log can have the entries up to a position of another one.
    private func isShared(_ position: LogPosition) -> Bool {
        let end = past.first { $0.position.epoch == position.epoch }
        return end.map { position.position <= $0.position.position } ?? true
    }
}

/// A parsed log entry.
///
/// Nothing is verified yet.
struct ParsedEntry {
    /// The entry; without the body of a set if that does not match its header.
    private(set) var entry: LogEntry
    let upload: Upload
    let verdict: Verdict

    var name: SetName { upload.name }

    init(_ bytes: [UInt8]) throws(ChangeSetError) {
        do {
            entry = try LogEntry(decoding: bytes[...])
        } catch {
            throw .encoding(error)
        }
        guard case .set(let bytes, let verdict) = entry.content else { throw .lost }
        upload = try Upload(parsing: bytes)
        self.verdict = verdict
        // Wrong bytes count as no bytes.
        if let body = entry.body, !upload.header.isBody(body) { entry.body = nil }
    }
}
