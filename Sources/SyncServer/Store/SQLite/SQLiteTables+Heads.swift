internal import SyncCore

/// The records of each replica's newest set, each with a sum that shows damage.
///
/// A damaged or missing record is read again from the log. If its signature is damaged, the device
/// that has it brings it.
extension SQLiteTables {
    /// Returns the newest set of a replica, or nil if the space has none.
    ///
    /// The owner is not part of the record.
    func head(of replica: Identifier, in space: Identifier) throws -> ReplicaState? {
        guard let record = try headRecord(of: replica, in: space) else {
            return try loggedHead(of: replica, in: space)
        }
        return try sound(record, in: space)
    }

    private func headRecord(of replica: Identifier, in space: Identifier) throws -> HeadRecord? {
        try database.first(
            """
            SELECT replica_id, sequence, hash, closed, signature, controls, sum FROM replica_head
            WHERE space_id = \(space) AND replica_id = \(replica)
            """
        ) { HeadRecord($0) }
    }

    /// Whether a replica has a sound record, or no set that could have one.
    func hasSoundHead(_ replica: Identifier, in space: Identifier) throws -> Bool {
        try headRecord(of: replica, in: space)?.isSound(in: space)
            ?? (loggedHead(of: replica, in: space) == nil)
    }

    /// The replica of the set at a position of the log; nil beyond its end.
    func author(at position: UInt64, in space: Identifier) throws -> Identifier? {
        try database.first(
            """
            SELECT replica_id FROM log
            WHERE space_id = \(space) AND position = \(position)
            """
        ) { $0.id(0) }
    }

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
            heads[record.replica] = try sound(record, in: space)?.head?.sequence
        }
    }

    /// Stores the record of a replica that has a set, with its sum.
    func storeHead(_ state: ReplicaState, of replica: Identifier, in space: Identifier) throws {
        guard let head = state.head else { return }
        let sum = HeadRecord.sum(of: state, by: replica, in: space)
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

    /// Restores damaged and missing records of a space from the log, and deletes those of replicas that
    /// have no set; returns how many there were.
    func restoreHeads(in space: Identifier) throws -> Int {
        let known = Dictionary(
            try headRecords(in: space).map { ($0.replica, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let logged = try database.all(
            "SELECT DISTINCT replica_id FROM log WHERE space_id = \(space)"
        ) { $0.id(0) }
        let wrong = logged.filter { known[$0]?.isSound(in: space) != true }
        for replica in wrong { try restoreHead(of: replica, in: space) }
        let strays = Set(known.keys).subtracting(logged)
        for replica in strays {
            try database.run(
                "DELETE FROM replica_head WHERE space_id = \(space) AND replica_id = \(replica)"
            )
        }
        return wrong.count + strays.count
    }

    func restoreHead(of replica: Identifier, in space: Identifier) throws {
        guard let state = try head(of: replica, in: space) else { return }
        try storeHead(state, of: replica, in: space)
    }

    private func sound(_ record: HeadRecord, in space: Identifier) throws -> ReplicaState? {
        if record.isSound(in: space) { return record.state }
        let reopened = record.withClosedFlipped
        return reopened.isSound(in: space)
            ? reopened.state : try loggedHead(of: record.replica, in: space, damaged: record.state)
    }

    /// Reads from the log what the record of a replica's newest set says; nil if the space has none.
    ///
    /// - Parameter damaged: the damaged record; the parts of it that are right are kept.
    private func loggedHead(
        of replica: Identifier,
        in space: Identifier,
        damaged: ReplicaState? = nil
    ) throws -> ReplicaState? {
        // Of two sets with one name, the first one in the log is the head.
        let newest = try database.first(
            """
            SELECT upload FROM log
            WHERE space_id = \(space) AND replica_id = \(replica)
            ORDER BY sequence DESC, position LIMIT 1
            """
        ) { try? Upload(parsing: $0.blob(0)) }
        guard let newest, let upload = newest else { return nil }
        var state = ReplicaState()
        state.head = ReplicaHead(sequence: upload.header.sequence, hash: upload.hash)
        state.controls = upload.header.seen.controls
        let hasTwoOfOneName = try database.first(
            """
            SELECT count(*) > count(DISTINCT sequence) FROM log
            WHERE space_id = \(space) AND replica_id = \(replica)
            """
        ) { $0.integer(0) == 1 }
        state.isClosed = damaged?.isClosed == true || hasTwoOfOneName == true
        if let signature = damaged?.signature, try isSigned(upload, by: signature, in: space) {
            state.signature = signature
        }
        return state
    }

    private func isSigned(
        _ upload: Upload,
        by signature: Signature,
        in space: Identifier
    ) throws -> Bool {
        guard let end = try endIfHosted(of: space) else { return false }
        return try chain(of: space, end).isHead(upload, signedAs: signature)
    }
}

extension ControlChain {
    /// Whether the device that sealed a set signed it as the head of its replica.
    func isHead(_ upload: Upload, signedAs signature: Signature) -> Bool {
        guard let card = cards[upload.header.device]?.card,
            let control = hash(ofFirst: upload.header.seen.controls)
        else { return false }
        let head = SignedHead(name: upload.name, device: upload.header.device, control: control)
        return head.isSigned(by: card.keys.signing, signature)
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
        self.init(replica: row.id(first), state: state, sum: row.integer(first + 6))
    }
}
