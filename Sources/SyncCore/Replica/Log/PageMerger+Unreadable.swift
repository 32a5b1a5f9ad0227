extension PageMerger {
    /// Stores a set of an earlier log that was unreadable until now.
    private func keepUnmerged(_ parsed: ParsedEntry, in space: Int64) throws {
        let upload = parsed.upload
        let number = try database.first(
            """
            INSERT INTO sealed (space, replica, sequence, hash, upload, body, own, verdict, receipt)
            VALUES (\(space), \(replicas.number(of: upload.header.replica)),
                \(upload.header.sequence), \(upload.hash), \(upload.bytes), \(parsed.entry.body), 0,
                \(parsed.verdict.rawValue), \(parsed.entry.receipt))
            ON CONFLICT (space, replica, sequence, hash) DO NOTHING RETURNING number
            """
        ) { $0.integer(0) }
        if let number, let set = parsed.entry.body.flatMap({ try? sets.open(upload, body: $0) }) {
            try history.indexRows(set.cells.rows, in: space, set: number)
        }
    }

    /// The limits for each space.
    ///
    /// A log that exceeds them is hostile, not written by a newer program.
    private static let unreadableLimit = (entries: 1000, bytes: 16 << 20)

    /// Keeps the entry at the position that the merge has just passed.
    ///
    /// Throws ``ReplicaError/tooMuchUnreadable(space:)`` above the limits.
    func keepUnreadable(_ entry: [UInt8], in merge: inout LogMerge) throws {
        merge.merged.pending += 1
        merge.unreadable = (merge.unreadable.entries + 1, merge.unreadable.bytes + entry.count)
        guard merge.unreadable.entries <= Self.unreadableLimit.entries,
            merge.unreadable.bytes <= Self.unreadableLimit.bytes
        else { throw ReplicaError.tooMuchUnreadable(space: merge.space) }
        try database.run(
            """
            INSERT INTO unreadable (space, epoch, position, entry)
            VALUES (\(merge.number), \(merge.epoch), \(merge.position), \(entry))
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Merges entries that were unreadable when they came and that this program can read.
    func collectUnreadable(in merge: inout LogMerge) throws {
        let entries = try database.all(
            """
            SELECT epoch, position, entry FROM unreadable WHERE space = \(merge.number)
            ORDER BY position
            """
        ) { ($0.id(0), $0.unsigned(1), $0.blob(2)) }
        for (epoch, position, bytes) in entries {
            // The rules for an entry of the current page hold here too.
            guard let entry = try? ParsedEntry(bytes), entry.name.space == merge.space,
                entry.entry.position == position
            else {
                merge.unreadable.entries += 1
                merge.unreadable.bytes += bytes.count
                continue
            }
            if epoch == merge.epoch {
                try absorb(entry, in: &merge)
            } else {
                try keepUnmerged(entry, in: merge.number)
            }
            try database.run(
                """
                DELETE FROM unreadable WHERE space = \(merge.number) AND epoch = \(epoch)
                    AND position = \(position)
                """
            )
        }
    }
}
