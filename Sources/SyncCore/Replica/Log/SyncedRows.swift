/// Counts the rows that a sync transferred.
///
/// The log counts change sets. A person counts tracks and places, and did not receive what this
/// device sent.
public struct SyncedRows: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// The change sets that a replica had before a sync.
    package struct Mark: Sendable {
        /// The number of the newest set.
        let newest: Int64
        /// The numbers of the own sets without a verdict, as a JSON array.
        let queued: String
    }

    /// Numbers of rows by collection.
    package struct Counts: Sendable {
        /// The rows in own sets that got a verdict.
        package var sent: [Text: Int] = [:]
        /// The rows in the sets of others that arrived.
        package var received: [Text: Int] = [:]

        package var isEmpty: Bool { sent.isEmpty && received.isEmpty }
    }

    /// Returns the mark to count from.
    package func mark() throws -> Mark {
        let queued = try database.all(
            """
            SELECT number FROM sealed
            WHERE own = 1 AND position IS NULL AND reissued = 0 AND verdict IS NULL
            """
        ) { $0.integer(0) }
        let newest = try database.first("SELECT coalesce(max(number), 0) FROM sealed") {
            $0.integer(0)
        }
        return Mark(newest: newest ?? 0, queued: "\(queued)")
    }

    /// Counts the rows that were sent and received since `mark`.
    ///
    /// A row that continues another one, such as the points of a track, counts as that one.
    package func counts(since mark: Mark) throws -> Counts {
        var rows: (sent: Set<Key>, received: Set<Key>) = ([], [])
        try database.each(
            """
            SELECT q.own, r.collection, r.row FROM touched t
            CROSS JOIN sealed q ON q.number = t.sealed CROSS JOIN row r ON r.number = t.row
            WHERE (t.sealed > \(mark.newest)
                OR t.sealed IN (SELECT value FROM json_each(\(mark.queued))))
                AND (q.own = 0 OR q.verdict IS NOT NULL OR q.position IS NOT NULL)
            """
        ) {
            let collection = Text($0.text(1))
            let home = collections.home(of: collection) ?? collection
            let row = Key(home, try Row(decoding: $0.blob(2)), "")
            if $0.integer(0) == 1 { rows.sent.insert(row) } else { rows.received.insert(row) }
        }
        return Counts(sent: rows.sent.counts, received: rows.received.counts)
    }
}

extension Set<Key> {
    fileprivate var counts: [Text: Int] { reduce(into: [:]) { $0[$1.collection, default: 0] += 1 } }
}
