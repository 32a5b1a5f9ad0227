/// The result of a complete check of a replica.
public struct Verification: Hashable, Sendable {
    /// Sets whose tags, hashes and chain links were checked.
    public internal(set) var sets = 0
    /// Cells of the bases that were merged again from the sets.
    public internal(set) var cells = 0
    /// Chunks whose hash and summary were recomputed.
    public internal(set) var chunks = 0
    /// Chunks that a cell names and that have not arrived.
    public internal(set) var missingChunks = 0
    /// Tracks whose stored line was compared with a recomputed one.
    public internal(set) var tracks = 0
    /// Log entries that this program cannot read.
    ///
    /// No chain is proven across them.
    public internal(set) var unreadable = 0
    /// Faults of the file: pages that do not match their checksum.
    public internal(set) var fileFaults: [String] = []
    /// Faults of sets, rows and fingerprints.
    public internal(set) var setFaults: [String] = []
    /// Faults of the list of tracks, which is derived from cells and chunks.
    public internal(set) var trackFaults: [String] = []
    /// Faults of chunks.
    public internal(set) var chunkFaults: [String] = []
    /// Chunks whose only copy was damaged.
    public internal(set) var lostFaults: [String] = []
    /// Cells whose author stated another summary than the samples have; no faults of this replica.
    public internal(set) var misstatements: [String] = []

    /// What the server or a member did that no honest one does, and that nobody has acknowledged.
    public internal(set) var breaches: [Breach] = []

    /// All faults; empty if the replica is sound and no breach is open.
    public var faults: [String] {
        fileFaults + setFaults + breaches.map(\.description) + chunkFaults + lostFaults
            + trackFaults
    }
}

extension Maintenance {
    /// Recomputes all chains, tags, hashes, fingerprints and projections.
    public func verify() throws -> Verification {
        var verification = Verification()
        for space in try spaces.all() { try verify(space, into: &verification) }
        verification.breaches = try breaches.open()
        if let fault = try pageFault() { verification.fileFaults.append(fault) }
        if try !isView && !identity.current().hasItsKeys {
            verification.setFaults.append("the keys of this device do not match its id")
        }
        let chunks = try chunkFindings()
        verification.chunks = chunks.checked
        verification.missingChunks = chunks.missing
        verification.chunkFaults = chunks.faults
        verification.lostFaults = try chunks.lostFaults + (isView ? [] : points.tailFaults())
        verification.misstatements = chunks.misstatements
        let tracks = try trackFindings()
        verification.tracks = tracks.checked
        verification.trackFaults = tracks.faults
        return verification
    }

    private func verify(_ space: SpaceSummary, into verification: inout Verification) throws {
        let number = try spaces.number(ofSpace: space.id)
        if !isView, try !controls.isWhole(space.id) {
            verification.setFaults.append("space \(space.id): its control chain is broken")
        }
        try verifyLog(of: space.id, number, into: &verification)
        let keys = try spaces.keys(of: space.id)
        verification.setFaults += try controls.damagedEpochs(of: keys).map {
            "space \(space.id): the secret of key epoch \($0) is damaged"
        }
        let entries = try unreadable.all().filter { $0.space == space.id }
        let awaited = entries.filter(\.isAwaited)
        verification.unreadable += entries.count - awaited.count
        verification.setFaults += awaited.map { entry in
            let reason = entry.reason.map { ": \($0.words)" } ?? ""
            return "entry \(entry.position) of the log is missing\(reason)"
        }
        var check = SpaceCheck(
            keys: keys,
            lostKeys: try spaces.lostKeys(of: space.id),
            deviceKeys: try identity.deviceKeys(),
            // A server's view keeps no history, so it has no such index.
            index: !isView ? try SetIndex(of: number, in: database) : nil,
            epoch: space.merged.epoch,
            hasEarlierLog: try lineage.hasEarlierLog(number),
            gapLimit: entries.count
        )
        verification.sets += try take(setsOf: number, into: &check)
        verification.setFaults += check.faults
        if check.gaps.count > check.gapLimit {
            verification.setFaults += check.gaps
        }
        verification.cells += check.cells.count
        verification.setFaults += try unsealed.read(number).damaged.map {
            "row \($0.row): a change that is not sent yet is damaged"
        }
        try verifyFingerprint(of: space, check.cells, into: &verification)
    }

    private func verifyLog(
        of space: Identifier,
        _ number: Int64,
        into verification: inout Verification
    ) throws {
        if try lineage.damagedCursors().contains(number) {
            verification.setFaults.append(
                "space \(space): the record of how much of the log is merged is damaged"
            )
        } else if let (missing, merged) = try lineage.missingEntries(of: number) {
            verification.setFaults.append(
                "space \(space): \(missing) of \(merged) entries of the log are missing here; "
                    + "'wake doctor --repair' fetches them"
            )
        }
    }

    /// Checks all sets of a space; returns how many there are.
    private func take(setsOf space: Int64, into check: inout SpaceCheck) throws -> Int {
        var count = 0
        try database.each(
            """
            SELECT upload, body, position, verdict, pending, number, own,
                (reissued = 2 AND position IS NULL) OR (own = 0 AND (verdict > 0
                    OR (pending IS NOT NULL AND position IS NULL)
                    OR coalesce(pending, '') LIKE \(VoidSets.pattern))), hash FROM sealed
            WHERE space = \(space)
            ORDER BY replica, sequence
            """
        ) { row in
            count += 1
            try check.take(
                row.blob(0),
                body: row.isNull(1) ? nil : row.blob(1),
                indexedAs: row.isNull(4) && (row.integer(6) == 1 || row.integer(3) == 0)
                    ? row.integer(5) : nil,
                isInChain: !row.isNull(2) || row.integer(6) == 1,
                isMerged: !row.isNull(2) && row.integer(3) == 0 && row.isNull(4),
                isMissing: !row.isNull(2) && !row.isNull(4) && row.text(4) == MissingBody.mark,
                isGivenUp: row.integer(7) == 1,
                hash: row.digest(8)
            )
        }
        return count
    }

    /// Compares the stored fingerprint with that of the base and that of the sets.
    private func verifyFingerprint(
        of space: SpaceSummary,
        _ cells: [Key: Cell],
        into verification: inout Verification
    ) throws {
        let number = try spaces.number(ofSpace: space.id)
        let remerged = cells.reduce(into: Fingerprint()) {
            $0.add(Change(key: $1.key, cell: $1.value).digest)
        }
        let stored = try storedFingerprint(number, faults: &verification.setFaults)
        if remerged != space.fingerprint || stored != space.fingerprint {
            verification.setFaults.append(
                "space \(space.id): the fingerprint is \(space.fingerprint.bytes.hexadecimal), "
                    + "its cells give \(stored.bytes.hexadecimal) and its sets give "
                    + remerged.bytes.hexadecimal
            )
        }
    }

    private func storedFingerprint(_ space: Int64, faults: inout [String]) throws -> Fingerprint {
        var fingerprint = Fingerprint()
        try database.each(
            "SELECT collection, row, base, number, overlay, deleted FROM row WHERE space = \(space)"
        ) { statement in
            do {
                let row = try Row(decoding: statement.blob(1))
                let records = try [statement.blob(2), statement.blob(4)].map {
                    try context.cells(in: $0).cells
                }
                let deletion = records.compactMap { $0[FieldSchema.deleted.name] }
                let isDeleted = deletion.max()?.value.bool == true
                if isDeleted != (statement.integer(5) == 1) {
                    let words = isDeleted ? "it is deleted, but not" : "it is not deleted, but"
                    faults.append("row \(statement.integer(3)): \(words) in the trash")
                }
                for (field, cell) in records[0] {
                    let key = Key(Text(statement.text(0)), row, field)
                    fingerprint.add(Change(key: key, cell: cell).digest)
                }
            } catch  where error is ReplicaError || error is CBORError {
                faults.append("row \(statement.integer(3)): its cells cannot be read: \(error)")
            }
        }
        return fingerprint
    }
}

/// The sets of one space while they are checked, in the order of replica and sequence.
private struct SpaceCheck {
    let keys: SpaceKeys
    /// Secrets of key epochs that the control chain lost.
    let lostKeys: [SpaceKeys]
    let deviceKeys: DeviceKeys
    let index: SetIndex?
    /// The log that is merged.
    let epoch: Identifier
    let hasEarlierLog: Bool
    /// The number of unreadable log entries: each may be a missing predecessor.
    let gapLimit: Int
    var cells: [Key: Cell] = [:]
    var faults: [String] = []
    /// Sets whose predecessor is missing.
    var gaps: [String] = []
    var links: [Identifier: Set<Digest>] = [:]

    mutating func take(
        _ bytes: [UInt8],
        body: [UInt8]?,
        indexedAs number: Int64?,
        isInChain: Bool,
        isMerged: Bool,
        isMissing: Bool,
        isGivenUp: Bool,
        hash: Digest
    ) throws {
        let upload: Upload
        do {
            upload = try Upload(parsing: bytes)
        } catch {
            return faults.append("a set cannot be read: \(error.words)")
        }
        let name = "set \(upload.header.replica)/\(upload.header.sequence)"
        checkChain(upload, storedAs: hash, name, isInChain: isInChain)
        if isMissing { faults.append("\(name): its body is missing; 'wake sync' asks for it") }
        guard !upload.isControl else {
            return checkControl(upload, body, isMerged: isMerged, name)
        }
        checkOuter(upload, name)
        // This device may never have had the key of a lost key epoch, or of a log that it did not follow.
        guard !isGivenUp else { return }
        let known = isMerged ? [keys] : [keys] + lostKeys
        let keys = known.first { upload.verifies(with: $0) } ?? keys
        guard let body else {
            if !upload.verifies(with: keys) {
                faults.append("\(name): the members' MAC is wrong")
            }
            return
        }
        do {
            let set = try ChangeSet(opening: upload, body: body, with: keys)
            take(set, indexedAs: number, isMerged: isMerged, name)
        } catch {
            faults.append("\(name): \(error.words)")
        }
    }

    private mutating func take(
        _ set: ChangeSet,
        indexedAs number: Int64?,
        isMerged: Bool,
        _ name: String
    ) {
        if let index, let number, !index.names(number, at: set.cells.rows) {
            faults.append("\(name): it is missing in the index of rows")
        }
        guard isMerged else { return }
        for change in set.changes { cells[change.key, default: change.cell].merge(change.cell) }
    }

    /// Other devices' sets come whole with the merged log alone: an enrolment brings control sets only,
    /// and a set that no log has any more may follow on one that its author has given up.
    private mutating func checkChain(
        _ upload: Upload,
        storedAs hash: Digest,
        _ name: String,
        isInChain: Bool
    ) {
        if upload.hash != hash { faults.append("\(name): its stored hash is wrong") }
        let header = upload.header
        // What was sealed in an earlier log may follow a set that only that log had. In a new log a
        // device writes under a new replica id.
        let isOfThisLog = !hasEarlierLog || header.seen.position.epoch == epoch
        if isInChain, isOfThisLog, header.sequence > 1,
            links[header.replica]?.contains(header.previous) != true
        {
            gaps.append("\(name): its predecessor \(header.previous) is missing")
        }
        links[header.replica, default: []].insert(upload.hash)
    }

    /// Checks the form and the body; the control chain verifies the signatures in their order.
    ///
    /// A reader gets no body of a refused one.
    private mutating func checkControl(
        _ upload: Upload,
        _ body: [UInt8]?,
        isMerged: Bool,
        _ name: String
    ) {
        guard let body else {
            return isMerged ? faults.append("\(name): its body is missing") : ()
        }
        do {
            _ = try ControlSet(upload, body: body)
        } catch {
            faults.append("\(name): \(error)")
        }
    }

    /// Checks own sets only: no reader holds other devices' keys.
    private mutating func checkOuter(_ upload: Upload, _ name: String) {
        guard upload.header.device == deviceKeys.device else { return }
        if !upload.verifies(with: deviceKeys) {
            faults.append("\(name): the device's MAC is wrong")
        }
    }
}
