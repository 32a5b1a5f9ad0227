/// Rebuilds the overlays of rows, and reissues sets under new names.
package struct Overlay: ReplicaPart {
    package let context: ReplicaContext

    /// Rebuilds the overlays of rows from queued sets and unsealed changes.
    ///
    /// - Parameter rows: the names of the rows, all of `space`. The fields of the keys are ignored.
    func rebuild(_ rows: Set<Key>, in space: Int64) throws {
        guard !rows.isEmpty else { return }
        var overlays = Overlays(rows: rows)
        try sets.eachQueued(in: space) { overlays.lay(try sets.readable($0)) }
        overlays.lay(try unsealed.changes(space))
        for name in rows {
            guard var stored = try self.rows.find(space, name.collection, name.row) else {
                continue
            }
            stored.overlay = CellRecord(
                (overlays.cells[name] ?? [:]).filter { field, cell in
                    stored.base[field].map { cell > $0 } ?? true
                }
            )
            try self.rows.save(stored)
        }
    }
}

/// Sets that the log does not count, or has lost.
extension Overlay {
    /// Clears the verdicts of own sets that the log lacks at its end, so that they are pushed
    /// again.
    ///
    /// The server judged these sets and then lost them. Returns the number of sets.
    func forgetLostVerdicts(in space: Int64) throws -> Int {
        try database.run(
            """
            UPDATE sealed SET verdict = NULL, reason = NULL, receipt = NULL, adopted = 0
            WHERE space = \(space) AND own = 1 AND position IS NULL AND reissued = 0
                AND verdict IS NOT NULL
                AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
            """
        )
    }

    /// Settles an own set that the log holds or refuses.
    ///
    /// A set that was refused for its clock is reissued, as are the changes of a held one that the
    /// present role of this person allows; if these are all, the result is false. Any other changes
    /// leave the overlay, and their set goes to the list of rejected sets.
    ///
    /// - Parameter writes: ``lastWrites(in:)``.
    func settleDeclined(
        _ set: QueuedSet,
        in space: Int64,
        after writes: [Key: Int64]
    ) throws -> Bool {
        let (verdict, reason) =
            try database.first(
                "SELECT verdict, coalesce(reason, '') FROM sealed WHERE number = \(set.number)"
            ) { (Verdict(rawValue: $0.unsigned(0)), $0.text(1)) } ?? (nil, "")
        if verdict == .refused, reason == "clock" {
            // A new stamp must not bring an older value back.
            let overwritten = try keysWrittenLater(than: set, writes)
            try rebuild(try reissue(set, in: space, butNot: overwritten), in: space)
            return false
        }
        if verdict == .held, ["cut", "role"].contains(reason),
            try reissueAllowed(of: set, in: space, after: writes)
        {
            return false
        }
        try uncover([set], in: space)
        return true
    }

    /// Reissues the changes of a held set that this person may make by the role that they have now.
    ///
    /// Returns whether these are all; otherwise the set stays on the list.
    private func reissueAllowed(
        of set: QueuedSet,
        in space: Int64,
        after writes: [Key: Int64]
    ) throws -> Bool {
        let (changes, header) = (try sets.readable(set), set.upload.header)
        // A server that holds what it was sent after the newest control set would do so again.
        let isOld = try header.seen.controls < controls.chain(ofSpace: space).count
        guard try isOld && !changes.isEmpty && controls.isIn(header.space) == true else {
            return false
        }
        let forbidden = try controls.forbidden(among: changes, in: space)
        guard forbidden.count < changes.count else { return false }
        let left = try keysWrittenLater(than: set, writes).union(forbidden)
        let rows = try reissue(set, in: space, butNot: left, isWhole: forbidden.isEmpty)
        try rebuild(rows, in: space)
        return forbidden.isEmpty
    }

    /// Settles the held sets of this device once more, because this person has another role.
    ///
    /// Returns how many are reissued.
    func settleHeld(in space: Int64) throws -> Int {
        let chain = try controls.chain(ofSpace: space)
        let held = try database.all(
            """
            SELECT number, upload, body FROM sealed
            WHERE space = \(space) AND own = 1 AND verdict = \(Verdict.held.rawValue)
                AND position IS NOT NULL AND reissued = 0 AND body IS NOT NULL
            """,
            read: sets.queuedSet
        ).filter { chain.decision(on: $0.upload) == nil }
        let writes = held.isEmpty ? [:] : try lastWrites(in: space)
        return try held.count { try !settleDeclined($0, in: space, after: writes) }
    }

    /// Removes the cells of sets that do not count from the overlay.
    ///
    /// A set that cannot be opened never wrote to the overlay.
    func uncover(_ sets: [QueuedSet], in space: Int64) throws {
        let rows = try sets.flatMap { try self.sets.readable($0).map(\.key.rowName) }
        try rebuild(Set(rows), in: space)
    }
}

/// The overlays of some rows while they are rebuilt.
private struct Overlays {
    let rows: Set<Key>
    private(set) var cells: [Key: [Text: Cell]] = [:]

    mutating func lay(_ changes: [Change]) {
        for change in changes where rows.contains(change.key.rowName) {
            cells[change.key.rowName, default: [:]].merge(change)
        }
    }
}
