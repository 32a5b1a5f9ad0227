/// Sealed sets on their way to the server, and the server's verdicts.
package struct PushQueue: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the encoded push items of a space in chain order, as many as fit into the request.
    ///
    /// Starts with the first set that has no verdict yet, and ends before a change set that names
    /// control sets which the log lacks.
    ///
    /// - Parameter after: the last sequence that the server holds, if its answer showed that it
    ///   lacks sets which this replica took for judged. The items then start after it.
    package func items(
        of space: Identifier,
        after: UInt64? = nil,
        into room: inout RequestRoom
    ) throws -> [[UInt8]] {
        let number = try spaces.number(ofSpace: space)
        var items: [[UInt8]] = []
        var last: (upload: Upload, item: PushItem)?
        let queued = try setsToPush(number, after: after)
        let deviceKeys = queued.isEmpty ? nil : try identity.deviceKeys()
        let controls = queued.isEmpty ? 0 : try controls.countInLog(of: number)
        for (set, waits) in queued.prefix(while: { $0.set.upload.namesAtMost(controls) }) {
            guard !waits || deviceKeys.map(set.isFromDevice) ?? true else {
                throw ReplicaError.damaged(.set(set.number))
            }
            let chunks =
                waits ? try chunksToPush(of: set) : try chunks.bytes(namedBy: set.upload)
            let item = PushItem(upload: set.upload.bytes, body: set.body, chunks: chunks)
            let encoded = item.encoded
            guard room.takes(encoded, with: chunks) else { break }
            items.append(encoded)
            last = (set.upload, item)
        }
        if let (upload, unsigned) = last {
            var item = unsigned
            item.headSignature = try signedHeads.signature(over: upload, in: number)
            items[items.count - 1] = item.encoded
        }
        return items
    }

    /// Returns the sets to push, with whether nobody has judged them: then this is the only copy.
    ///
    /// Two statements, so that each uses an index and reads no other set.
    private func setsToPush(
        _ space: Int64,
        after: UInt64?
    ) throws -> [(set: QueuedSet, waits: Bool)] {
        guard let after else {
            return try database.all(
                """
                SELECT number, upload, body, hash FROM sealed INDEXED BY sealed_queue
                WHERE space = \(space) AND own = 1 AND position IS NULL AND reissued = 0
                    AND verdict IS NULL
                    AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
                ORDER BY sequence LIMIT \(Limits.setLimit)
                """
            ) { (try sets.waitingSet($0), true) }
        }
        return try database.all(
            """
            SELECT number, upload, body, hash,
                position IS NULL AND reissued = 0 AND verdict IS NULL FROM sealed
            WHERE space = \(space) AND own = 1 AND sequence > \(after)
                AND replica = (SELECT number FROM replica JOIN self ON self.replica = id)
            ORDER BY sequence LIMIT \(Limits.setLimit)
            """
        ) {
            $0.integer(4) == 1
                ? (try sets.waitingSet($0), true) : (try sets.queuedSet($0), false)
        }
    }

    /// Returns the chunks that a set names and that are here.
    ///
    /// Throws ``ReplicaError/damaged(_:)`` if one is damaged, and if the set names one that was: the
    /// server takes no set without its chunks.
    private func chunksToPush(of set: QueuedSet) throws -> [[UInt8]] {
        try set.upload.header.chunks.compactMap { chunk in
            if let bytes = try chunks.bytes(chunk.hash) {
                guard Digest(of: bytes) == chunk.hash else {
                    throw ReplicaError.damaged(.chunk(chunk.hash))
                }
                return bytes
            }
            guard try !chunks.wasDamaged(chunk.hash) else {
                throw ReplicaError.damaged(.set(set.number))
            }
            return nil
        }
    }

    /// Stores the server's verdicts on pushed items and returns how many were new.
    ///
    /// The base does not change until the log brings the sets.
    @discardableResult
    package func recordVerdicts(_ results: [PushResult], of items: [[UInt8]]) throws -> Int {
        guard !results.isEmpty else { return 0 }
        return try zip(results, items).reduce(0) { try $0 + recordVerdict($1.0, of: $1.1) }
    }

    /// Stores one verdict; returns 1 if it was new, else 0.
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

    /// Returns whether this database sealed the set that the server names as a replica's head.
    package func isOwnHead(
        _ head: ReplicaHead,
        by replica: Identifier,
        in space: Identifier
    ) throws -> Bool {
        try sets.flags(of: head, by: replica, in: space)?.isOwn ?? false
    }

    /// Returns whether a space has unsealed changes, or sealed ones without a verdict that can be
    /// sent.
    ///
    /// Only sets of the present replica id can be sent. Sets that wait for control sets cannot: what
    /// brings these is a backfill.
    package func hasUnsent(in space: Identifier) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        let first = try database.first(
            """
            SELECT q.upload FROM sealed q JOIN replica r ON r.number = q.replica
            JOIN self s ON s.replica = r.id
            WHERE q.space = \(number) AND q.own = 1 AND q.position IS NULL AND q.reissued = 0
                AND q.verdict IS NULL ORDER BY q.sequence LIMIT 1
            """
        ) { try Upload(parsing: $0.blob(0)) }
        guard let first else { return try unsealed.hasChanges(number) }
        return first.namesAtMost(try controls.countInLog(of: number))
    }

    /// Returns all own sets as encoded push items without chunks, in the order of their chains.
    package func ownItems() throws -> [[UInt8]] {
        try database.all(
            "SELECT upload, body FROM sealed WHERE own = 1 ORDER BY space, replica, sequence"
        ) { PushItem(upload: $0.blob(0), body: $0.blob(1)).encoded }
    }
}
