internal import SyncCore

/// The records of each replica's newest set, each with a sum that shows damage.
///
/// A damaged record is read again from the log, without its signature; the device that has the
/// signature brings it.
extension SQLiteTables {
    /// Returns the newest set of a replica, or nil if the space has none.
    ///
    /// The owner is not part of the record.
    func head(of replica: Identifier, in space: Identifier) throws -> ReplicaState? {
        let record = try database.first(
            """
            SELECT replica_id, sequence, hash, closed, signature, controls, sum FROM replica_head
            WHERE space_id = \(space) AND replica_id = \(replica)
            """
        ) { HeadRecord($0) }
        return try record.map { try sound($0, in: space) }
    }

    /// Returns the records of a space, each with whether it is damaged.
    func headRecords(in space: Identifier) throws -> [HeadRecord] {
        try database.all(
            """
            SELECT replica_id, sequence, hash, closed, signature, controls, sum FROM replica_head
            WHERE space_id = \(space)
            """
        ) { HeadRecord($0) }
    }

    /// Returns how far each replica of a device has come in a space.
    func heads(of device: Identifier, in space: Identifier) throws -> [Identifier: UInt64] {
        let records = try database.all(
            """
            SELECT replica_id, sequence, hash, closed, signature, controls, sum
            FROM replica_head JOIN replica_owner USING (replica_id)
            WHERE space_id = \(space) AND device_id = \(device)
            """
        ) { HeadRecord($0) }
        return try records.reduce(into: [:]) { heads, record in
            heads[record.replica] = try sound(record, in: space).head?.sequence
        }
    }

    /// Stores a record with its sum.
    func storeHead(
        _ head: ReplicaHead,
        of replica: Identifier,
        _ state: ReplicaState,
        in space: Identifier
    ) throws {
        let sum = HeadRecord.sum(of: head, by: replica, state, in: space)
        try database.run(
            """
            INSERT INTO replica_head (space_id, replica_id, sequence, hash, closed, signature,
                controls, sum)
            VALUES (\(space), \(replica), \(head.sequence), \(head.hash),
                \(state.isClosed ? 1 : 0), \(state.signature?.bytes), \(state.controls), \(sum))
            ON CONFLICT (space_id, replica_id)
            DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
                closed = excluded.closed, signature = excluded.signature,
                controls = excluded.controls, sum = excluded.sum
            """
        )
    }

    /// Stores damaged records again as the log has them; returns how many there were.
    func restoreHeads(in space: Identifier) throws -> Int {
        let damaged = try headRecords(in: space).filter { !$0.isSound(in: space) }
        for record in damaged {
            let state = try loggedHead(of: record.replica, in: space)
            guard let head = state.head else { continue }
            try storeHead(head, of: record.replica, state, in: space)
        }
        return damaged.count
    }

    private func sound(_ record: HeadRecord, in space: Identifier) throws -> ReplicaState {
        record.isSound(in: space)
            ? record.state : try loggedHead(of: record.replica, in: space)
    }

    /// Reads from the log what the record of a replica's newest set says.
    private func loggedHead(of replica: Identifier, in space: Identifier) throws -> ReplicaState {
        var state = ReplicaState()
        state.head = try database.first(
            """
            SELECT sequence, hash FROM log
            WHERE space_id = \(space) AND replica_id = \(replica) AND admin IS NULL
            ORDER BY sequence DESC LIMIT 1
            """
        ) { ReplicaHead(sequence: $0.unsigned(0), hash: $0.digest(1)) }
        state.isClosed =
            try database.first(
                """
                SELECT count(*) > count(DISTINCT sequence) FROM log
                WHERE space_id = \(space) AND replica_id = \(replica) AND admin IS NULL
                """
            ) { $0.integer(0) == 1 } ?? false
        return state
    }
}

extension HeadRecord {
    /// - Parameter first: the place of `replica_id` in the row; the other columns follow.
    init(_ row: Statement, from first: Int32 = 0) {
        let head = ReplicaHead(sequence: row.unsigned(first + 1), hash: row.digest(first + 2))
        let state = ReplicaState(
            head: head,
            signature: row.isNull(first + 4) ? nil : Signature(bytes: row.blob(first + 4)),
            controls: row.unsigned(first + 5),
            isClosed: row.integer(first + 3) == 1
        )
        self.init(replica: row.id(first), head: head, state: state, sum: row.integer(first + 6))
    }
}
