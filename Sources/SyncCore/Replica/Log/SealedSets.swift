/// A set that no merged log contains yet, with its body.
package struct QueuedSet: Sendable {
    /// The number of the set in this database.
    let number: Int64
    /// The parsed upload.
    ///
    /// Its bytes travel verbatim.
    package let upload: Upload
    /// The body, verbatim.
    package let body: [UInt8]

    /// The body, or nil if it is missing or was damaged.
    var soundBody: [UInt8]? { upload.header.isBody(body) ? body : nil }

    /// Whether an own set has the MAC for the server that it was sealed with; a control set has none.
    func isFromDevice(with keys: DeviceKeys) -> Bool {
        upload.isControl || upload.verifies(with: keys)
    }
}

/// What the column `pending` of a set says that counts and whose body is missing.
enum MissingBody {
    static let mark = "missing body"
}

/// A known set, with what became of it.
struct KnownSet {
    let set: QueuedSet
    let isOwn: Bool
    /// Whether its changes were written again, or it was given up.
    let isReissued: Bool
    /// Whether it could not be merged, whatever the log said.
    let isPending: Bool
    /// The verdict that a log gave it.
    let settled: Verdict?
}

/// All known change sets, verbatim: the table `sealed`.
package struct SealedSets: ReplicaPart {
    package let context: ReplicaContext

    /// Reads the queued sets of a space: those that count but are in no merged log.
    ///
    /// These are own sets that wait and, after a new epoch, other replicas' sets. Reissued, held,
    /// refused and pending sets are left out. Reads one set at a time: after a new epoch there may
    /// be as many as the log has.
    ///
    /// Throws ``ReplicaError/damaged(_:)`` for a damaged own set, unless `skipsDamaged`.
    func eachQueued(
        in space: Int64,
        skipsDamaged: Bool = false,
        read: (QueuedSet) throws -> Void
    ) throws {
        try database.each(
            """
            SELECT number, upload, body, hash, own = 1 AND verdict IS NULL FROM sealed
            WHERE position IS NULL AND reissued = 0 AND coalesce(verdict, 0) = 0
                AND body IS NOT NULL AND pending IS NULL AND space = \(space)
            ORDER BY replica, sequence
            """
        ) { row in
            guard row.integer(4) == 1 else { return try read(try queuedSet(row)) }
            if let set = intactSet(row) { return try read(set) }
            guard skipsDamaged else { throw ReplicaError.damaged(.set(row.integer(0))) }
        }
    }

    /// Gives the own sets that wait for a verdict a MAC under the device's newest key.
    ///
    /// The server that had issued the key before may have had another master key, and then refuses them.
    func authenticateWaiting() throws {
        let device = try identity.deviceKeys()
        guard let epoch = device.epoch else { return }
        let waiting = try database.all(
            """
            SELECT number, upload FROM sealed
            WHERE own = 1 AND position IS NULL AND verdict IS NULL AND reissued = 0
            """
        ) { (number: $0.integer(0), upload: try? Upload(parsing: $0.blob(1))) }
        for (number, upload) in waiting {
            guard let signed = try upload?.authenticated(by: device, epoch: epoch) else { continue }
            try database.run("UPDATE sealed SET upload = \(signed.bytes) WHERE number = \(number)")
        }
    }

    /// Returns a set by its name and hash, or nil if it is not known.
    func find(_ name: SetName) throws -> KnownSet? {
        try database.first(
            """
            SELECT q.number, q.upload, q.body, q.own, q.reissued, q.verdict, q.receipt,
                q.pending IS NOT NULL
            FROM sealed q
            JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE p.id = \(name.space) AND r.id = \(name.replica) AND q.sequence = \(name.sequence)
                AND q.hash = \(name.hash)
            """
        ) {
            KnownSet(
                set: try queuedSet($0),
                isOwn: $0.integer(3) == 1,
                isReissued: $0.integer(4) != 0,
                isPending: $0.integer(7) == 1,
                settled: $0.isNull(6) ? nil : Verdict(rawValue: $0.unsigned(5))
            )
        }
    }

    /// Returns whether this database sealed a set, and whether it was reissued, or nil if the set
    /// is not known.
    ///
    /// Does not read the set, which may be damaged.
    func flags(
        of head: ReplicaHead,
        by replica: Identifier,
        in space: Identifier
    ) throws -> (isOwn: Bool, isReissued: Bool)? {
        try database.first(
            """
            SELECT q.own, q.reissued FROM sealed q
            JOIN space p ON p.number = q.space JOIN replica r ON r.number = q.replica
            WHERE p.id = \(space) AND r.id = \(replica) AND q.sequence = \(head.sequence)
                AND q.hash = \(head.hash)
            """
        ) { ($0.integer(0) == 1, $0.integer(1) != 0) }
    }

    /// Reads an own set that no server has judged, with its hash as the fourth column.
    ///
    /// Throws ``ReplicaError/damaged(_:)`` if it is not what was sealed: nobody else has it.
    func waitingSet(_ row: Statement) throws -> QueuedSet {
        guard let set = intactSet(row) else { throw ReplicaError.damaged(.set(row.integer(0))) }
        return set
    }

    /// Whether a set is what was sealed.
    func isIntact(_ number: Int64) throws -> Bool {
        try database.first("SELECT number, upload, body, hash FROM sealed WHERE number = \(number)")
        {
            intactSet($0) != nil
        } ?? false
    }

    /// Reads a set with its hash as the fourth column; nil if it is not what was sealed.
    func intactSet(_ row: Statement) -> QueuedSet? {
        guard let set = try? queuedSet(row), set.upload.hash == row.digest(3),
            set.soundBody != nil
        else { return nil }
        return set
    }

    /// Returns the own sets that no server has judged and that are damaged: the first of each replica
    /// id, because those after it fall with it.
    ///
    /// The keys for the MAC of an older replica id may be gone.
    func damagedWaiting(in space: Int64) throws -> [Int64] {
        let deviceKeys = try identity.deviceKeys()
        let damaged = try database.all(
            """
            SELECT number, upload, body, hash, replica,
                replica = (SELECT number FROM replica JOIN self ON self.replica = id) FROM sealed
            WHERE own = 1 AND position IS NULL AND reissued = 0 AND verdict IS NULL
                AND space = \(space) ORDER BY replica, sequence DESC
            """
        ) { row in
            let isSound = intactSet(row).map {
                row.integer(5) == 0 || $0.isFromDevice(with: deviceKeys)
            }
            return isSound == true ? nil : (replica: row.integer(4), number: row.integer(0))
        }
        .compactMap(\.self)
        return Dictionary(damaged.map { ($0.replica, $0.number) }) { $1 }.values.sorted()
    }

    func queuedSet(_ row: Statement) throws -> QueuedSet {
        QueuedSet(
            number: row.integer(0),
            upload: try Upload(parsing: row.blob(1)),
            body: row.blob(2)
        )
    }

    /// Returns the changes of a set, opened with the space key, or with one that the space has lost.
    ///
    /// Nobody else may have a lost key. So such a set is never merged, but listed and written again.
    func changes(of set: QueuedSet) throws -> [Change] {
        let space = set.upload.header.space
        let keys = try spaces.keys(of: space)
        do {
            return try ChangeSet(opening: set.upload, body: set.body, with: keys).changes
        } catch {
            for keys in try spaces.lostKeys(of: space) {
                let opened = try? ChangeSet(opening: set.upload, body: set.body, with: keys)
                if let opened { return opened.changes }
            }
            _ = try controls.soundKeys(of: space)
            throw error
        }
    }

    /// Returns the changes of a set, or none if it cannot be opened; `verify` and the audit report
    /// that.
    func readable(_ set: QueuedSet) throws -> [Change] {
        do {
            return try changes(of: set)
        } catch is ChangeSetError {
            return []
        }
    }

    /// Opens a set: with the space key on a device; the server's view has none.
    func open(_ upload: Upload, body: [UInt8]) throws -> ChangeSet {
        if isView { return try ChangeSet(logged: upload, body: body) }
        let keys = try spaces.keys(of: upload.header.space)
        do {
            return try ChangeSet(opening: upload, body: body, with: keys)
        } catch {
            _ = try controls.soundKeys(of: upload.header.space)
            throw error
        }
    }
}
