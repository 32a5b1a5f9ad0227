extension PageMerger {
    /// What of the merged log waits.
    struct Waiting {
        /// Sets and entries that cannot be read.
        var hasPending = false
        /// Sets without a body.
        var hasMissing = false
        /// Void sets.
        var hasVoid = false

        var isAny: Bool { hasPending || hasMissing }
    }

    private func waiting(_ merge: LogMerge) throws -> Waiting {
        try database.first(
            """
            SELECT EXISTS (SELECT 1 FROM sealed WHERE space = \(merge.number)
                    AND pending IS NOT NULL AND pending != \(MissingBody.mark)
                    AND pending NOT LIKE \(VoidSets.pattern) AND +position IS NOT NULL)
                OR EXISTS (SELECT 1 FROM unreadable
                    WHERE space = \(merge.number) AND epoch = \(merge.epoch)),
                EXISTS (SELECT 1 FROM sealed WHERE space = \(merge.number)
                    AND pending = \(MissingBody.mark) AND +position IS NOT NULL),
                EXISTS (SELECT 1 FROM sealed WHERE space = \(merge.number)
                    AND pending LIKE \(VoidSets.pattern) AND +position IS NOT NULL)
            """
        ) {
            Waiting(
                hasPending: $0.integer(0) == 1,
                hasMissing: $0.integer(1) == 1,
                hasVoid: $0.integer(2) == 1
            )
        } ?? Waiting()
    }

    /// Returns what waits at the end of the log, after the sets that prove to be void were marked.
    ///
    /// Only a device that follows the server's control chain can tell that a set is void.
    func waiting(_ merge: inout LogMerge, _ page: Page) throws -> Waiting {
        let found = try waiting(merge)
        guard found.hasPending, !found.hasMissing, !isView,
            try controls.countInLog(of: merge.number) == page.controls,
            try hasSameControls(page, merge), try controls.revived(in: merge.number) == nil
        else { return found }
        try voidSets.judge(in: &merge)
        return try waiting(merge)
    }
}
