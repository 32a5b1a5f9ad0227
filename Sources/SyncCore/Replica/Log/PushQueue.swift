/// Sealed sets on their way to the server, and what it answered.
package struct PushQueue: ReplicaPart {
    package let context: ReplicaContext

    /// What a space has to push: encoded items in chain order, from just above what the server
    /// has judged, as far as there is room in a request.
    ///
    /// - Parameter after: the sequence that the server named as its last, when its answer showed
    ///   that it lacks sets which this replica took for judged.
    package func items(
        of space: Identifier,
        after: UInt64? = nil,
        into room: inout RequestRoom
    ) throws -> [[UInt8]] {
        let sets = try setsToPush(try spaces.number(ofSpace: space), after: after)
        var items: [[UInt8]] = []
        for set in sets {
            let chunks = try set.upload.header.chunks.compactMap { try self.chunks.bytes($0.hash) }
            let item = PushItem(upload: set.upload.bytes, body: set.body, chunks: chunks).encoded
            guard room.takes(item, with: chunks) else { break }
            items.append(item)
        }
        return items
    }

    /// Two statements, so that each finds its sets by an index and reads no other.
    private func setsToPush(_ space: Int64, after: UInt64?) throws -> [QueuedSet] {
        guard let after else {
            return try database.all(
                """
                SELECT number, upload, body FROM sealed INDEXED BY sealed_queue
                WHERE space = \(space) AND own = 1 AND position IS NULL AND reissued = 0
                    AND verdict IS NULL
                    AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
                ORDER BY sequence LIMIT \(Limits.setLimit)
                """,
                read: sets.queuedSet
            )
        }
        return try database.all(
            """
            SELECT number, upload, body FROM sealed
            WHERE space = \(space) AND own = 1 AND sequence > \(after)
                AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
            ORDER BY sequence LIMIT \(Limits.setLimit)
            """,
            read: sets.queuedSet
        )
    }

    /// Notes what the server told of pushed items; the log itself brings them into the base.
    ///
    /// Returns how many were not judged before.
    @discardableResult
    package func recordVerdicts(_ results: [PushResult], of items: [[UInt8]]) throws -> Int {
        guard !results.isEmpty else { return 0 }
        return try zip(results, items).reduce(0) { try $0 + recordVerdict($1.0, of: $1.1) }
    }

    /// Notes one verdict; 1 where it was not known before.
    func recordVerdict(_ result: PushResult, of item: [UInt8]) throws -> Int {
        guard case .judged(_, let verdict, let reason) = result else { return 0 }
        let upload = try Upload(parsing: try PushItem(decoding: item[...]).upload)
        return try database.run(
            """
            UPDATE sealed SET verdict = \(verdict.rawValue), reason = \(reason)
            WHERE space = (SELECT number FROM space WHERE id = \(upload.header.space))
                AND replica = (SELECT number FROM replica WHERE id = \(upload.header.replica))
                AND sequence = \(upload.header.sequence) AND hash = \(upload.hash) AND own = 1
                AND verdict IS NULL
            """
        )
    }

    /// Whether this database sealed the set that the server names as its last of a replica.
    package func isOwnHead(
        _ head: ReplicaHead,
        by replica: Identifier,
        in space: Identifier
    ) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sealed q JOIN space p ON p.number = q.space
            JOIN replica r ON r.number = q.replica
            WHERE p.id = \(space) AND r.id = \(replica) AND q.sequence = \(head.sequence)
                AND q.hash = \(head.hash) AND q.own = 1
            """
        ) { _ in true } ?? false
    }

    /// Whether something of a space is not judged yet and can be sent under the present name.
    package func hasUnsent(in space: Identifier) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        let queued = try database.first(
            """
            SELECT 1 FROM sealed q JOIN replica r ON r.number = q.replica
            JOIN self s ON s.replica = r.id
            WHERE q.space = \(number) AND q.own = 1 AND q.position IS NULL AND q.reissued = 0
                AND q.verdict IS NULL LIMIT 1
            """
        ) { _ in true }
        return try queued ?? unsealed.hasChanges(number)
    }

    /// Encoded sets of this database as a CBOR sequence of push items without chunks.
    package func ownItems() throws -> [[UInt8]] {
        try database.all(
            "SELECT upload, body FROM sealed WHERE own = 1 ORDER BY space, replica, sequence"
        ) { PushItem(upload: $0.blob(0), body: $0.blob(1)).encoded }
    }
}

extension ReplicaPart {
    package var queue: PushQueue { PushQueue(context: context) }
}
