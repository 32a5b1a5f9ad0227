/// An entry of the log that this program cannot read: a newer one wrote it, or it is damaged.
public struct UnreadableEntry: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// Its place in the log.
    public let position: UInt64
    /// Why it cannot be read; nil for what is about another entry that cannot be.
    public let reason: ChangeSetError?
}

extension Replica {
    /// What the log holds that this program cannot read, kept as it came.
    ///
    /// A newer program reads it at its first sync.
    public func unreadableEntries() throws -> [UnreadableEntry] {
        try database.all(
            """
            SELECT p.id, u.position, u.entry FROM unreadable u JOIN space p ON p.number = u.space
            ORDER BY u.space, u.position
            """
        ) { row in
            UnreadableEntry(
                space: row.id(0),
                position: row.unsigned(1),
                reason: Self.fault(in: row.blob(2), row.id(0))
            )
        }
    }

    private static func fault(in entry: [UInt8], _ space: Identifier) -> ChangeSetError? {
        do throws(ChangeSetError) {
            _ = try ParsedEntry(entry, in: space)
            return nil
        } catch {
            return error
        }
    }

    /// Of each space so much is kept; a log with more is not a newer program's but made to harm.
    private static let unreadableLimit = (entries: 1000, bytes: 16 << 20)

    /// Keeps the entry at the position that the merge has just passed.
    ///
    /// ``ReplicaError/tooMuchUnreadable(space:)`` where there is no more room for it.
    func keepUnreadable(_ entry: [UInt8], in merge: inout LogMerge) throws {
        merge.merged.pending += 1
        merge.unreadable = (merge.unreadable.entries + 1, merge.unreadable.bytes + entry.count)
        guard merge.unreadable.entries <= Self.unreadableLimit.entries,
            merge.unreadable.bytes <= Self.unreadableLimit.bytes
        else { throw ReplicaError.tooMuchUnreadable(space: merge.space) }
        try database.run(
            """
            INSERT INTO unreadable (space, epoch, position, entry) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """,
            .integer(merge.number),
            .id(merge.epoch),
            .unsigned(merge.position),
            .blob(entry)
        )
    }

    /// Takes what an older program could not read.
    func collectUnreadable(in merge: inout LogMerge) throws {
        let entries = try database.all(
            "SELECT epoch, position, entry FROM unreadable WHERE space = $1 ORDER BY position",
            .integer(merge.number)
        ) { ($0.id(0), $0.unsigned(1), $0.blob(2)) }
        for (epoch, position, bytes) in entries {
            // What the log's order says of an entry that is read at once holds for this one too.
            guard let entry = try? ParsedEntry(bytes, in: merge.space),
                entry.name.space == merge.space, entry.entry.position == position,
                try epoch == merge.epoch
                    ? absorb(entry, in: &merge) : keepUnmerged(entry, in: merge.number)
            else {
                merge.unreadable.entries += 1
                merge.unreadable.bytes += bytes.count
                continue
            }
            try database.run(
                "DELETE FROM unreadable WHERE space = $1 AND epoch = $2 AND position = $3",
                .integer(merge.number),
                .id(epoch),
                .unsigned(position)
            )
        }
    }

    /// How many entries of a space's log cannot be read.
    func unreadableCount(in space: Int64) throws -> Int {
        try database.first(
            "SELECT count(*) FROM unreadable WHERE space = $1",
            .integer(space)
        ) { Int($0.integer(0)) } ?? 0
    }
}
