extension Result where Success == ParsedEntry, Failure == ChangeSetError {
    /// Whether a newer program wrote the entry, or it waits for one that such a program wrote.
    fileprivate var isNewer: Bool {
        guard case .failure(let error) = self else { return true }
        return error.needsNewerProgram
    }
}

/// What could not be merged with its page, and can now.
extension PageMerger {
    /// Merges the sets that waited for a key which has come, seals control sets that waited for it,
    /// and returns the outcome without them.
    package func mergePending(
        _ outcome: MergeOutcome,
        in space: Identifier,
        at now: Moment
    ) throws -> MergeOutcome {
        var merge = try begin(space)
        merge.merged = outcome
        try collectPending(in: &merge)
        merge.merged.pending -= merge.sets.count
        return try finishAgain(&merge, at: now)
    }

    /// Merges entries that the server sent again because they were incomplete
    /// (``IncompleteEntries``), and returns the outcome with them.
    ///
    /// Merges nothing if another process gave up the log, or began it anew, since the request.
    ///
    /// - Parameters:
    ///   - positions: what the server was asked for and had room to answer, in ascending order.
    ///   - epoch: the epoch of the request, or nil if no other process can merge.
    package func mergeAgain(
        _ entries: [[UInt8]],
        at positions: [UInt64],
        of epoch: Identifier? = nil,
        _ outcome: MergeOutcome,
        in space: Identifier,
        at now: Moment
    ) throws -> MergeOutcome {
        var merge = try begin(space)
        merge.merged = outcome
        if let epoch, merge.epoch != epoch || merge.position < positions.last ?? 0 {
            return outcome
        }
        let time = try serverTime(at: now)
        if !isView { try unsignedHeads.noteAsked(positions, in: merge.number, at: time) }
        for bytes in entries {
            guard let position = (try? LogEntry(decoding: bytes[...]))?.position else { continue }
            let parsed = Result { () throws(ChangeSetError) in try ParsedEntry(bytes) }
            try incomplete.note(bytes, at: position, in: merge.number, isNewer: parsed.isNewer)
            guard let parsed = try? parsed.get(), let known = try sets.find(parsed.name) else {
                continue
            }
            if try unsignedHeads.contains(parsed.name, in: merge.number) {
                merge.note(parsed.upload, signedWith: parsed.entry.headSignature)
            }
            guard try incomplete.takeMissing(known.set.number, at: position) else { continue }
            try absorb(parsed, in: &merge)
        }
        try collectUnreadable(in: &merge)
        if isView { try collectPending(in: &merge) }
        try collectAdopted(in: &merge)
        merge.merged.missing = try incomplete.count(in: merge.number)
        try checkSignatures(of: merge, isAtHead: true, at: time)
        return try finishAgain(&merge, at: now)
    }

    private func finishAgain(
        _ merge: inout LogMerge,
        at now: Moment
    ) throws -> MergeOutcome {
        try mergeCells(of: &merge)
        try database.run(
            """
            UPDATE space
                SET fingerprint = \(merge.fingerprint.bytes), greatest = \(merge.greatest)
            WHERE number = \(merge.number)
            """
        )
        let time = try serverTime(at: now)
        merge.merged.reissued += try settleHeld(merge)
        try lineage.settle(merge, isAtHead: false, at: time)
        if merge.merged.isSecretWanted { try sealWaiting(&merge, at: time) }
        return merge.merged
    }

    /// Collects the changes of pending sets that a new key or an upgrade has made readable.
    ///
    /// The unary plus keeps SQLite from using the index on `position`, which would scan the whole
    /// log.
    func collectPending(in merge: inout LogMerge) throws {
        let pending = try database.all(
            """
            SELECT number, upload, body, own, pending FROM sealed
            WHERE space = \(merge.number) AND pending IS NOT NULL AND body IS NOT NULL
                AND +position IS NOT NULL ORDER BY +position
            """
        ) { (try sets.queuedSet($0), isOwn: $0.integer(3) == 1, reason: $0.text(4)) }
        for (set, isOwn, reason) in pending {
            guard !set.upload.isControl else {
                if isView {
                    try followControl(set.upload, set.body, numbered: set.number, in: &merge)
                }
                continue
            }
            do {
                let cells = try openAdmitted(set.upload, body: set.body, in: merge).cells
                merge.add(cells, of: set.number)
                merge.noteSeen(by: set.upload.header, isOwn: isOwn)
                if !isView { merge.count(cells.rows, isOwn: false, in: collections) }
            } catch let error as ChangeSetError {
                let present = "\(error)"
                guard ![present, VoidSets.mark + present].contains(reason) else { continue }
                try database.run(
                    "UPDATE sealed SET pending = \(present) WHERE number = \(set.number)"
                )
                try breaches.forget(.voidSet, VoidSets.name(of: set.upload), in: merge.number)
                continue
            }
            try database.run("UPDATE sealed SET pending = NULL WHERE number = \(set.number)")
            try breaches.forget(.voidSet, VoidSets.name(of: set.upload), in: merge.number)
        }
    }
}
