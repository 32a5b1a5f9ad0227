/// Held sets that an admin adopted: they count, whatever the verdict of the log.
extension PageMerger {
    /// Whether the control chain lets a held set count.
    func isAdopted(_ upload: Upload, in merge: LogMerge) throws -> Bool {
        try controls.chain(ofSpace: merge.number).decision(on: upload) == .adopted
    }

    /// Merges held sets that control sets of this merge adopted after them.
    ///
    /// Others than the author got such a set without its body, and ask for it at the end of the log.
    func collectAdopted(in merge: inout LogMerge) throws {
        for reference in merge.adopted {
            let name = SetName(
                space: merge.space,
                replica: reference.replica,
                sequence: reference.sequence,
                hash: reference.hash
            )
            guard let known = try sets.find(name) else { continue }
            let (set, number) = (known.set, known.set.number)
            let isHeld = try database.run(
                """
                UPDATE sealed SET verdict = \(Verdict.accepted.rawValue), adopted = 1
                WHERE number = \(number) AND verdict = \(Verdict.held.rawValue)
                    AND position IS NOT NULL
                """
            )
            guard isHeld > 0 else { continue }
            guard let body = set.soundBody else {
                try miss(number)
                continue
            }
            try collect(set.upload, body: body, of: number, as: known, in: &merge)
        }
    }

    /// Follows the control chain in a view, as far as it decides which held sets count.
    ///
    /// The server has verified the set when it accepted it.
    func followControl(
        _ upload: Upload,
        _ verdict: Verdict,
        _ entry: LogEntry,
        in merge: inout LogMerge
    ) throws {
        guard verdict == .accepted else { return }
        let number = try insertSet(upload, verdict, entry, space: merge.number)
        guard let number, let body = entry.body else { return try miss(number) }
        try followControl(upload, body, numbered: number, in: &merge)
    }

    /// Merges a control set in a view; one that follows on a missing one waits for that.
    func followControl(
        _ upload: Upload,
        _ body: [UInt8],
        numbered number: Int64,
        in merge: inout LogMerge
    ) throws {
        do {
            let set = try ControlSet(upload, body: body)
            try controls.merge(set, number: number, into: merge.number)
            merge.adopted += set.adopted
            try database.run("UPDATE sealed SET pending = NULL WHERE number = \(number)")
        } catch let error as ControlError {
            try database.run("UPDATE sealed SET pending = \("\(error)") WHERE number = \(number)")
        }
    }
}

extension Backfill {
    /// Lets adopted sets wait again whose adoption the control chain has lost.
    ///
    /// Where the base has their cells, the fingerprints differ at the end of the log, which is then
    /// merged again.
    func undoLostAdoptions(in space: Int64) throws {
        let chain = try controls.chain(ofSpace: space)
        let adopted = try database.all(
            """
            SELECT number, upload, body FROM sealed
            WHERE space = \(space) AND adopted = 1 AND body IS NOT NULL
            """,
            read: sets.queuedSet
        )
        let lost = adopted.filter { chain.decision(on: $0.upload) != .adopted }
        for set in lost {
            try database.run(
                """
                UPDATE sealed SET adopted = 0, verdict = \(Verdict.held.rawValue), pending = NULL
                WHERE number = \(set.number)
                """
            )
        }
        try overlay.uncover(lost, in: space)
    }
}
