/// What becomes of sets that a log does not count, or has lost.
extension Replica {
    /// Lets own sets be pushed once more that the log lacks at its end: its server judged and lost them.
    ///
    /// Returns how many.
    func forgetLostVerdicts(in space: Int64) throws -> Int {
        try database.run(
            """
            UPDATE sealed SET verdict = NULL, reason = NULL, receipt = NULL, admin = NULL
            WHERE space = $1 AND own = 1 AND position IS NULL AND reissued = 0
                AND verdict IS NOT NULL
                AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
            """,
            .integer(space)
        )
    }

    /// A declined set leaves the overlay for the list; a wrong clock is cured by writing again, and
    /// false is returned.
    ///
    /// - Parameter writes: ``lastWrites(in:)``.
    func settleDeclined(
        _ set: QueuedSet,
        in space: Int64,
        after writes: [Key: Int64]
    ) throws -> Bool {
        let reason = try database.first(
            "SELECT coalesce(reason, '') FROM sealed WHERE number = $1 AND verdict = 2",
            .integer(set.number)
        ) { $0.text(0) }
        if reason == "clock" {
            try reissueRefused(set, in: space, after: writes)
            return false
        }
        try uncover([set], in: space)
        return true
    }

    /// Takes away what sets that do not count laid over the base.
    ///
    /// One that cannot be opened laid nothing.
    func uncover(_ sets: [QueuedSet], in space: Int64) throws {
        var rows: Set<Key> = []
        for set in sets {
            for change in try readable(set) {
                rows.insert(Key(change.key.collection, change.key.row, ""))
            }
        }
        try rebuildOverlay(rows, in: space)
    }
}
