/// A change set that was held, refused or cannot be opened: an item of a list for the person.
public struct RejectedChangeSet: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// The replica that wrote the set.
    public let replica: Identifier
    /// The set's sequence within its replica.
    public let sequence: UInt64
    /// The hash, which distinguishes two sets of the same name.
    package let hash: Digest
    /// The device that sealed it.
    package let device: Identifier
    /// The time of the last write, taken from the greatest stamp; of a control set, its author's time.
    public let written: UnixTime
    /// Why the set is listed.
    public let state: State
    /// The changes, or nil if the set cannot be opened.
    public let changes: [Change]?

    /// The reason of a held set that an admin declined.
    package static let declined = "declined"
    /// The reason of a held set that changes nothing any more.
    package static let superseded = "superseded"

    package var reference: SetReference {
        SetReference(replica: replica, sequence: sequence, hash: hash)
    }

    fileprivate var name: SetName {
        SetName(space: space, replica: replica, sequence: sequence, hash: hash)
    }

    /// Why a set is listed.
    public enum State: Hashable, Sendable {
        /// It waits for an admin.
        case held(reason: String)
        /// It waits for an admin, who cannot have it count.
        case unadoptable(ChangeSetError)
        /// The server refused it.
        case refused(reason: String)
        /// No honest server accepts it: it is forged, or its author had no right to write it.
        case void(ChangeSetError)
        /// It could not be opened. The error is nil if it can be opened now; the next page merges
        /// it.
        case pending(ChangeSetError?)
        /// It changes devices or keys, and does not continue the control chain that this database has.
        case unfollowed
    }
}

/// Change sets that were held, refused or cannot be opened.
public struct RejectedChangeSets: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns all rejected sets that nobody has settled yet.
    public func all() throws -> [RejectedChangeSet] {
        try database.all(
            """
            SELECT p.id, r.id, q.sequence, q.upload, q.body, q.verdict, coalesce(q.reason, ''),
                q.pending, q.hash FROM sealed q
            JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE (q.pending IS NOT NULL OR q.verdict > 0)
                AND coalesce(q.pending, '') NOT IN (\(MissingBody.mark), \(RevivedSet.mark))
                AND (CASE WHEN q.pending IS NOT NULL THEN q.position IS NOT NULL
                    ELSE q.own = 1 AND q.reissued IN (0, 3) END)
            ORDER BY q.number
            """
        ) { row in
            let upload = try Upload(parsing: row.blob(3))
            let (set, body) = (Result { try open(upload, row.blob(4)) }, row.blob(4))
            let decision = try controls.chain(of: upload.header.space).decision(on: upload)
            let state =
                decision == .declined
                ? .refused(reason: RejectedChangeSet.declined) : Self.state(row, set)
            return Self.rejected(
                upload,
                body,
                upload.isControl && !row.isNull(7) ? .unfollowed : state,
                try? set.get().changes
            )
        }
    }

    /// Returns the held sets among entries that the server sent to an admin, without those that are
    /// decided on by now.
    package func held(
        among entries: [[UInt8]],
        in space: Identifier
    ) throws -> [RejectedChangeSet] {
        let chain = try controls.plannedChain(of: space)
        return try entries.compactMap { try? ParsedEntry($0) }.filter { entry in
            entry.verdict == .held && entry.name.space == space
                && chain.decision(on: entry.upload) == nil
        }
        .map { entry in
            let (upload, body) = (entry.upload, entry.entry.body)
            let set = Result { try body.map { try open(upload, $0) } }
            let state = try state(set, entry, AdmissionPolicy(chain))
            return Self.rejected(upload, body ?? [], state, try? set.get()?.changes)
        }
    }

    /// Returns how many held sets of the merged log wait for an admin.
    ///
    /// - Parameter ofOthers: whether those of this device are left out.
    package func heldCount(in space: Identifier, ofOthers: Bool = false) throws -> Int {
        let chain = try controls.plannedChain(of: space)
        var count = 0
        try database.each(
            """
            SELECT upload FROM sealed WHERE space = \(spaces.number(ofSpace: space))
                AND verdict = \(Verdict.held.rawValue) AND verdict > 0 AND +position IS NOT NULL
                AND (own = 0 OR \(ofOthers ? 0 : 1))
            """
        ) { row in
            let upload = try? Upload(parsing: row.blob(0))
            if upload.map({ chain.decision(on: $0) == nil }) == true { count += 1 }
        }
        return count
    }

    /// Whether an admin can adopt a held set, or it would not count even then.
    private func state(
        _ set: Result<ChangeSet?, any Error>,
        _ entry: ParsedEntry,
        _ policy: AdmissionPolicy
    ) throws -> RejectedChangeSet.State {
        let held = RejectedChangeSet.State.held(reason: entry.entry.reason)
        switch set {
        case .success(let set?):
            switch policy.obstacle(toAdopting: set, hash: entry.name.hash, collections) {
            case nil:
                return try isSuperseded(set)
                    ? .held(reason: RejectedChangeSet.superseded) : held
            case .unknownControls: return held
            case let obstacle?: return .unadoptable(obstacle)
            }
        case .failure(let error as ChangeSetError):
            return error.isForLater ? held : .unadoptable(error)
        default: return held
        }
    }

    /// Whether each change of a set has been made, or overwritten, by a set that counts.
    private func isSuperseded(_ set: ChangeSet) throws -> Bool {
        let space = try spaces.number(ofSpace: set.header.space)
        return try set.changes.allSatisfy { change in
            let key = change.key
            let present = try rows.find(space, key.collection, key.row)?.base[key.field]
            return present.map { $0.stamp >= change.cell.stamp } ?? false
        }
    }

    private func open(_ upload: Upload, _ body: [UInt8]) throws -> ChangeSet {
        try ChangeSet(opening: upload, body: body, with: spaces.keys(of: upload.header.space))
    }

    private static func rejected(
        _ upload: Upload,
        _ body: [UInt8],
        _ state: RejectedChangeSet.State,
        _ changes: [Change]?
    ) -> RejectedChangeSet {
        RejectedChangeSet(
            space: upload.header.space,
            replica: upload.header.replica,
            sequence: upload.header.sequence,
            hash: upload.hash,
            device: upload.header.device,
            written: time(of: upload, body),
            state: state,
            changes: changes
        )
    }

    /// The time of the last write, or the author's time of a control set.
    private static func time(of upload: Upload, _ body: [UInt8]) -> UnixTime {
        if upload.isControl, let set = try? ControlSet(upload, body: body) { return set.body.time }
        let header = upload.header
        return Stamp(time: header.stamps.upperBound, replica: header.replica).wall
    }

    private static func state(
        _ row: Statement,
        _ set: Result<ChangeSet, any Error>
    ) -> RejectedChangeSet.State {
        if !row.isNull(7) {
            if row.text(7).hasPrefix(VoidSets.mark) {
                if case .failure(let error as ChangeSetError) = set { return .void(error) }
                let reason = row.text(7).dropFirst(VoidSets.mark.count)
                return .void(VoidSets.reasons.first { "\($0)" == reason } ?? .noCard)
            }
            guard case .failure(let error) = set else { return .pending(nil) }
            return .pending(error as? ChangeSetError)
        }
        return row.integer(5) == 1 ? .held(reason: row.text(6)) : .refused(reason: row.text(6))
    }
}

/// The outcome of retrying a declined set.
package struct RetryOutcome: Equatable, Sendable {
    /// Fields that were written again.
    package var written = 0
    /// Fields that were left alone: they hold the same value or a later one.
    package var overtaken = 0
}

extension RejectedChangeSets {
    /// Writes the changes of a declined set again as of now, and takes the set off the list.
    ///
    /// A field with a later value keeps it, because the person has seen that value.
    package func retry(_ rejected: RejectedChangeSet, at now: Moment) throws -> RetryOutcome {
        guard let set = try declined(rejected) else { return RetryOutcome() }
        let space = try spaces.number(ofSpace: rejected.space)
        let changes = try sets.changes(of: set)
        let edits = try changes.compactMap { change -> Edit? in
            let present = try rows.find(space, change.key.collection, change.key.row)?
                .cell(change.key.field)
            guard present.map({ $0.stamp < change.cell.stamp }) ?? true else { return nil }
            return change.again
        }
        let written = try rows.apply(edits, in: space, at: now)
        try settle(set, as: .writtenAgain)
        return RetryOutcome(written: written, overtaken: changes.count - written)
    }

    /// Takes a declined set off the list.
    ///
    /// The set stays in the history.
    package func dismiss(_ rejected: RejectedChangeSet) throws {
        guard let set = try declined(rejected) else { return }
        try settle(set, as: .dismissed)
    }

    /// Returns a set as a push item with its available chunks, or nil if the set is unknown.
    package func pushItem(of rejected: RejectedChangeSet) throws -> PushItem? {
        guard let set = try sets.find(rejected.name)?.set else { return nil }
        let chunks = try chunks.bytes(namedBy: set.upload)
        return PushItem(upload: set.upload.bytes, body: set.body, chunks: chunks)
    }

    /// The values of `sealed.reissued` for a declined set that is off the list.
    ///
    /// The value 3 marks a set that is listed but that no log will accept.
    private enum Settlement: Int64 {
        case writtenAgain = 1
        case dismissed = 2
    }

    private func settle(_ set: QueuedSet, as settlement: Settlement) throws {
        try database.run(
            "UPDATE sealed SET reissued = \(settlement.rawValue) WHERE number = \(set.number)"
        )
    }

    /// Returns the set, or nil if it has left the list, perhaps through another process.
    private func declined(_ rejected: RejectedChangeSet) throws -> QueuedSet? {
        guard let set = try sets.find(rejected.name)?.set else { return nil }
        let isListed = try database.first(
            """
            SELECT 1 FROM sealed WHERE number = \(set.number) AND own = 1 AND verdict > 0
                AND reissued IN (0, 3)
            """
        ) { _ in true }
        return isListed == true ? set : nil
    }
}

extension ChangeSetError {
    /// Whether a newer program, or a key that is still to come, may read the set.
    fileprivate var isForLater: Bool {
        switch self {
        case .unknownFormat, .unknownCriticalKey, .unknownKeyEpoch: true
        default: false
        }
    }
}
