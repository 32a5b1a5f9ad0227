/// The outcome of merging a page.
package struct MergeOutcome: Hashable, Sendable {
    /// Entries that were merged, or kept as unreadable.
    package var entries = 0
    /// The rows that the log accepted; none at the server.
    package var rows = SyncedRows()
    /// Own sets that were refused or held, and are on the list of rejected sets now.
    package var declined = 0
    /// Own sets that were refused for their clock, and are unsealed again.
    package var reissued = 0
    /// Entries of the page that this replica cannot open or read yet.
    package var pending = 0
    /// Sets and entries of the merged log that came without what they should have.
    ///
    /// Counted at the end of the log. The server is asked for them again.
    package var missing = 0
    /// Whether the fingerprints at the checkpoint differ.
    package var isMismatch = false
    /// Whether they differed at the same position before.
    package var isKnownMismatch = false
    /// Whether the whole log is merged now.
    package var isAtHead = false
    /// Whether control sets wait to be sealed again until the secret of a key epoch is here.
    package var isSecretWanted = false
    /// The number of newest sets for whose signature it is time to ask.
    package var unsigned = 0
    /// Own sets with a verdict that the log lacks.
    ///
    /// They will be pushed again.
    package var forgotten = 0
    /// A revoked device that the server let change devices or keys; this replica does not follow.
    ///
    /// Told at the end of the log.
    package var revived: Identifier?
    /// Whether another process moved the cursor after the request.
    ///
    /// Then nothing was merged.
    package var isOvertaken = false

    package init(isOvertaken: Bool = false) { self.isOvertaken = isOvertaken }
}

/// Merges pages of the server's log into the base.
package struct PageMerger: ReplicaPart {
    package let context: ReplicaContext

    /// Merges a page of the server's log and moves the cursor.
    ///
    /// Seals local changes first, so that their `seen` is true. Throws
    /// ``ReplicaError/historyChanged(space:position:)`` for a page that does not continue what was
    /// merged before. The caller must then roll the transaction back.
    ///
    /// - Parameter cursor: the cursor of the request, or nil if no other process can merge.
    package func merge(
        _ page: Page,
        after cursor: LogPosition? = nil,
        into space: Identifier,
        at moment: Moment
    ) throws -> MergeOutcome {
        var merge = try begin(space)
        if let cursor, merge.cursor != cursor { return MergeOutcome(isOvertaken: true) }
        guard merge.epoch == page.epoch || merge.position == 0 else {
            throw ReplicaError.historyChanged(space: space, position: merge.position)
        }
        merge.epoch = page.epoch
        if merge.position == 0, !isView {
            try lineage.begin(page, in: merge, at: moment.wall)
            merge.past = page.past
        }
        if !page.entries.isEmpty { _ = try sealer.seal(space, at: moment) }
        try collectUnreadable(in: &merge)
        try collectPending(in: &merge)
        for entry in page.entries { try mergeEntry(entry, in: &merge) }
        try collectAdopted(in: &merge)
        guard merge.chain ?? page.chain == page.chain, merge.position == page.position else {
            throw ReplicaError.historyChanged(space: space, position: page.position)
        }
        if !merge.links.isEmpty { merge.links[merge.links.count - 1] = page.chain }
        try mergeCells(of: &merge)
        try finish(&merge, page, at: moment)
        return merge.merged
    }

    func begin(_ space: Identifier) throws -> LogMerge {
        let merge = try database.first(
            """
            SELECT number, epoch, position, chain, fingerprint, greatest,
                EXISTS (SELECT 1 FROM log_claim c
                    WHERE c.space = number AND c.replica = \(SeenClaim.serverNumber)),
                (SELECT device FROM self)
            FROM space WHERE id = \(space)
            """
        ) {
            let hasPast = $0.integer(6) == 1
            return LogMerge(
                space: space,
                number: $0.integer(0),
                device: $0.id(7),
                start: $0.unsigned(2),
                startChain: $0.digest(3),
                epoch: $0.id(1),
                position: $0.unsigned(2),
                chain: $0.digest(3),
                fingerprint: Fingerprint(bytes: $0.blob(4)) ?? Fingerprint(),
                greatest: $0.unsigned(5),
                past: hasPast ? try lineage.past(of: $0.integer(0)) : []
            )
        }
        guard let merge else { throw ReplicaError.unknownSpace(space) }
        return merge
    }

    /// Merges one entry.
    ///
    /// An unreadable entry is kept verbatim and blocks no other.
    private func mergeEntry(_ bytes: [UInt8], in merge: inout LogMerge) throws {
        let entry: ParsedEntry
        do {
            entry = try ParsedEntry(bytes)
        } catch {
            merge.passOverUnreadable()
            return try keepUnreadable(bytes, in: &merge)
        }
        try merge.pass(entry)
        try absorb(entry, in: &merge)
    }

    /// Stores an entry's set and verdict, and collects the changes for the base.
    func absorb(_ parsed: ParsedEntry, in merge: inout LogMerge) throws {
        let (upload, verdict, entry) = (parsed.upload, parsed.verdict, parsed.entry)
        guard !upload.isControl else {
            return isView
                ? try followControl(upload, verdict, entry, in: &merge)
                : try recordControl(upload, verdict, entry, in: &merge)
        }
        if !isView { merge.note(upload, signedWith: entry.headSignature) }
        let known = try sets.find(upload.name)
        let isAdopted = try verdict == .held && isAdopted(upload, in: merge)
        let isKept = !isView || verdict == .held
        let space = merge.number
        func insert() throws -> Int64? {
            try insertSet(upload, verdict, entry, isAdopted: isAdopted, space: space)
        }
        let number = isKept ? try insert() : nil
        let body = entry.body ?? known?.set.soundBody
        guard verdict == .accepted || isAdopted else {
            return try leaveOut(parsed, body, known, number: number, in: &merge)
        }
        guard let body else { return try miss(try number ?? insert()) }
        // A view keeps only the accepted sets that it cannot open yet.
        try collect(upload, body: body, of: number, as: known, in: &merge, keep: insert)
    }

    /// Notes a set that does not count.
    private func leaveOut(
        _ parsed: ParsedEntry,
        _ body: [UInt8]?,
        _ known: KnownSet?,
        number: Int64?,
        in merge: inout LogMerge
    ) throws {
        let upload = parsed.upload
        if try !isView && upload.verifies(with: spaces.keys(of: merge.space)) {
            merge.noteSeen(by: upload.header, isOwn: known?.isOwn == true)
        }
        if let number, let set = body.flatMap({ try? sets.open(upload, body: $0) }) {
            try history.indexRows(set.cells.rows, in: merge.number, set: number)
        }
        // An earlier log gave the same verdict, which was settled then.
        guard let known, known.settled != parsed.verdict else { return }
        try collect(known, parsed.entry.reason, in: &merge)
    }

    /// Collects a set that this log does not count, if an earlier one did or it is an own one.
    private func collect(
        _ known: KnownSet,
        _ reason: String,
        in merge: inout LogMerge
    ) throws {
        // The cut of a revoked device: of another one, or of the one that this database was.
        if reason == "cut", known.settled == .accepted && !known.isPending || known.isOwn {
            let device = try identity.current().device
            guard !known.isOwn || known.set.upload.header.device != device else {
                return merge.declined.append(known.set)
            }
            merge.cut.append(known)
        } else if known.isOwn {
            merge.declined.append(known.set)
        } else if known.settled == .accepted {
            merge.turned.append(known.set)
        }
    }

    /// Marks a set of the log that counts and whose body did not come.
    func miss(_ number: Int64?) throws {
        try database.run(
            "UPDATE sealed SET pending = \(MissingBody.mark), body = NULL WHERE number = \(number)"
        )
    }

    /// Opens a set and collects its changes; a set that cannot be opened becomes pending.
    ///
    /// - Parameters:
    ///   - set: the set's number, or nil if the set is not kept.
    ///   - known: the set as it was before this merge, or nil if it is new.
    ///   - keep: stores a set that is not kept and returns its number.
    func collect(
        _ upload: Upload,
        body: [UInt8],
        of set: Int64?,
        as known: KnownSet?,
        in merge: inout LogMerge,
        keep: () throws -> Int64? = { nil }
    ) throws {
        do {
            let cells = try openAdmitted(upload, body: body, in: merge).cells
            merge.add(cells, of: set)
            merge.noteSeen(by: upload.header, isOwn: known?.isOwn == true)
            if !isView, known?.settled != .accepted {
                merge.count(cells.rows, isOwn: known?.isOwn == true, in: collections)
            }
        } catch let error as ChangeSetError {
            merge.merged.pending += 1
            let number = try set ?? keep()
            try database.run("UPDATE sealed SET pending = \("\(error)") WHERE number = \(number)")
        }
    }

    func insertSet(
        _ upload: Upload,
        _ verdict: Verdict,
        _ entry: LogEntry,
        isAdopted: Bool = false,
        space: Int64
    ) throws -> Int64? {
        let counted = isAdopted ? Verdict.accepted : verdict
        return try database.first(
            """
            INSERT INTO sealed (space, replica, sequence, hash, upload, body, own, position,
                verdict, receipt, reason, adopted)
            VALUES (\(space), \(replicas.number(of: upload.header.replica)),
                \(upload.header.sequence), \(upload.hash), \(upload.bytes), \(entry.body), 0,
                \(entry.position), \(counted.rawValue), \(entry.receipt),
                \(entry.reason.isEmpty ? nil : entry.reason), \(isAdopted ? 1 : 0))
            ON CONFLICT (space, replica, sequence, hash) DO UPDATE SET
                position = excluded.position, receipt = excluded.receipt,
                adopted = excluded.adopted,
                pending = NULL, body = coalesce(excluded.body, body),
                reason = coalesce(
                    excluded.reason, CASE WHEN verdict = excluded.verdict THEN reason END),
                verdict = excluded.verdict
            RETURNING number
            """
        ) { $0.integer(0) }
    }

    private func finish(
        _ merge: inout LogMerge,
        _ page: Page,
        at moment: Moment
    ) throws {
        try moveCursor(&merge, to: page)
        let writes = merge.declined.isEmpty ? [:] : try overlay.lastWrites(in: merge.number)
        for set in merge.declined
        where try overlay.settleDeclined(set, in: merge.number, after: writes) {
            merge.merged.declined += 1
        }
        let released = try settleHeld(merge)
        try overlay.uncover(merge.turned, in: merge.number)
        merge.leftOut += [try backfill.vouch(for: merge.cut, in: merge.number)]
        let isAtHead = page.position == page.head
        // Only at the head is anything sealed.
        let time = try isAtHead ? serverTime(at: moment) : moment.wall
        try checkSignatures(of: merge, isAtHead: isAtHead, at: time)
        try takeBackStale(merge, at: time)
        try lineage.settle(merge, isAtHead: isAtHead, at: time)
        merge.merged.reissued =
            merge.declined.count - merge.merged.declined + merge.stale.count + released
        merge.merged.isAtHead = isAtHead
        if merge.merged.isAtHead {
            // The server refuses what does not follow on its chain.
            if try merge.merged.revived == nil && hasSameControls(page, merge) {
                try sealWaiting(&merge, at: time)
            }
            let unsigned = try isView ? [] : unsignedHeads.positions(in: merge.number, at: time)
            merge.merged.unsigned = unsigned.count
            merge.merged.forgotten = try overlay.forgetLostVerdicts(in: merge.number)
        }
    }

    /// Settles held work once more if this person has another role; returns how much is reissued.
    func settleHeld(_ merge: LogMerge) throws -> Int {
        merge.hasNewRole ? try overlay.settleHeld(in: merge.number) : 0
    }

    /// The server's time where it is known; a view seals nothing, so it does not need it.
    func serverTime(at moment: Moment) throws -> UnixTime {
        try isView ? moment.wall : identity.current().time(at: moment)
    }

    /// Seals the control sets that the merged log makes necessary, and notes whether some wait for a
    /// secret.
    func sealWaiting(_ merge: inout LogMerge, at time: UnixTime) throws {
        guard !isView else { return }
        try controlSealer.redoLost(in: merge.number, at: time)
        try controlSealer.beginMissingEpoch(in: merge.number, at: time)
        merge.merged.isSecretWanted = try controls.hasLost(in: merge.number)
    }

    /// Stores the cursor, and compares the fingerprints if the replica could read the whole log.
    private func moveCursor(_ merge: inout LogMerge, to page: Page) throws {
        let waiting = try page.position == page.head ? waiting(&merge, page) : Waiting()
        // The server counts what it cannot know to be void.
        let mine = try waiting.hasVoid ? voidSets.fingerprint(with: merge) : merge.fingerprint
        let isCompared =
            try page.fingerprint != nil && mine != nil && !waiting.hasPending
            && hasSameControls(page, merge)
        let isEqual = [mine, merge.fingerprint].contains(page.fingerprint)
        if waiting.hasMissing, isCompared, isEqual {
            // The bodies were wholly superseded: the state is right without them.
            try incomplete.forgetMissing(in: merge.number)
        } else if waiting.isAny {
            merge.merged.missing = try incomplete.count(in: merge.number)
        }
        if waiting.hasPending { merge.merged.revived = try controls.revived(in: merge.number) }
        // What is missing explains a difference.
        let isDifferent = isCompared && !isEqual && !waiting.hasMissing
        let isMismatch = try isDifferent || lacksControls(page, merge)
        let known = try database.first(
            "SELECT mismatch FROM space WHERE number = \(merge.number) AND mismatch IS NOT NULL"
        ) { $0.unsigned(0) }
        merge.merged.isMismatch = isMismatch
        merge.merged.isKnownMismatch = isMismatch && known == page.position
        try database.run(
            """
            UPDATE space
                SET epoch = \(page.epoch), position = \(page.position), chain = \(page.chain),
                head = \(page.head), fingerprint = \(merge.fingerprint.bytes),
                greatest = \(merge.greatest),
                mismatch = CASE WHEN \(isCompared ? 1 : 0) THEN
                \(isMismatch ? page.position : nil) ELSE mismatch END
            WHERE number = \(merge.number)
            """
        )
    }

    /// Whether the whole log is merged and did not bring all control sets that the server counts.
    ///
    /// Then this replica has lost some that it merged before.
    private func lacksControls(_ page: Page, _ merge: LogMerge) throws -> Bool {
        // A chain that is not followed is not to be fetched again.
        guard !isView, page.position == page.head, merge.merged.revived == nil else { return false }
        return try controls.chain(ofSpace: merge.number).count < page.controls
    }

    /// Fingerprints are comparable only if both sides judged by the same control sets.
    func hasSameControls(_ page: Page, _ merge: LogMerge) throws -> Bool {
        try isView || controls.chain(ofSpace: merge.number).count == page.controls
    }
}
