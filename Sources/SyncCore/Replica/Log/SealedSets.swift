/// A set that no log has brought yet, with the bytes that make it whole.
package struct QueuedSet: Sendable {
    /// The number of the set in this database.
    let number: Int64
    /// The parsed upload; its bytes travel verbatim.
    package let upload: Upload
    /// The body as sent.
    package let body: [UInt8]
}

/// Every change set that is known, verbatim: the table `sealed`.
package struct SealedSets: ReplicaPart {
    package let context: ReplicaContext

    /// Sets that are in no log that was merged, were not written again under a new name, and count
    /// as far as anyone was told: own ones that wait, and after a new epoch those of others too.
    ///
    /// One at a time, for after a new epoch they are as many as the log has.
    func eachQueued(in space: Int64, read: (QueuedSet) throws -> Void) throws {
        try database.each(
            """
            SELECT number, upload, body FROM sealed
            WHERE position IS NULL AND reissued = 0 AND coalesce(verdict, 0) = 0
                AND body IS NOT NULL AND pending IS NULL AND space = \(space)
            ORDER BY replica, sequence
            """
        ) { try read(try queuedSet($0)) }
    }

    func queuedSet(_ row: Statement) throws -> QueuedSet {
        QueuedSet(
            number: row.integer(0),
            upload: try Upload(parsing: row.blob(1)),
            body: row.blob(2)
        )
    }

    /// The changes of a set, read with the members' key as any other reader does.
    func changes(of set: QueuedSet) throws -> [Change] {
        let keys = try spaces.keys(of: set.upload.header.space)
        return try ChangeSet(opening: set.upload, body: set.body, with: keys).changes
    }

    /// The changes of a set; none where it cannot be opened, which `verify` and an audit tell.
    func readable(_ set: QueuedSet) throws -> [Change] {
        do {
            return try changes(of: set)
        } catch is ChangeSetError {
            return []
        }
    }

    /// Opens a set as this replica can.
    func open(_ upload: Upload, body: [UInt8]) throws -> ChangeSet {
        if let deviceKeys = context.viewKeys?(upload.header.device, upload.outer.keyEpoch) {
            return try ChangeSet(relaying: upload, body: body, from: deviceKeys)
        }
        let keys = try spaces.keys(of: upload.header.space)
        return try ChangeSet(opening: upload, body: body, with: keys)
    }
}

extension ReplicaPart {
    package var sets: SealedSets { SealedSets(context: context) }
}
