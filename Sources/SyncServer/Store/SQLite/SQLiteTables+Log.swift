internal import SyncCore

extension SQLiteTables {
    /// Reads the facts for a decision; the caller's write transaction locks the log's end.
    func facts(for question: LogQuestion) throws -> LogFacts {
        let space = question.space
        guard let end = try endIfHosted(of: space) else { throw StoreError.notFound }
        var facts = LogFacts(space: space, end: end, chain: try chain(of: space, end))
        if let asker = question.asker {
            let isPresent = facts.chain.role(ofDevice: asker.id) != nil
            guard isPresent || question.isForFormer && facts.chain.cards[asker.id] != nil else {
                throw StoreError.notFound
            }
            facts.devices[asker.id] = asker
            if !isPresent { facts.kept = try keptByteCount(of: asker.user, in: space) }
        }
        for id in question.devices where id != question.asker?.id {
            facts.devices[id] = try device(id)
        }
        for position in question.positions {
            facts.chainHashes[position] =
                position.position == end.head
                ? end.chain : try chainHash(of: space, at: position.position)
        }
        for id in Set(question.controls.flatMap(facts.chain.devicesCut)) {
            facts.heads[id] = try heads(of: id, in: space)
        }
        for hash in question.wraps {
            facts.wraps[hash] = try chunk(hash, in: space).flatMap { try? KeyWraps(chunk: $0) }
        }
        for replica in question.replicas {
            facts.replicas[replica] = try state(of: replica, in: space)
        }
        for name in question.names { facts.sets[name] = try sets(named: name, in: space) }
        for set in question.controls { try facts.readAdopted(by: set, from: self) }
        facts.chunks = try question.chunks.filter { try hasChunk($0, in: space) }
        return facts
    }

    /// Returns the end of a space's log, or nil if the server does not host the space.
    func endIfHosted(of space: Identifier) throws -> LogEnd? {
        try database.first(
            """
            SELECT head, chain, greatest, controls, control_head, named, has_other_chain,
                restored, head = 0 OR chain = (SELECT l.chain FROM log l
                    WHERE l.space_id = space.space_id AND l.position = space.head)
            FROM space WHERE space_id = \(space)
            """
        ) {
            LogEnd(
                head: $0.unsigned(0),
                chain: $0.digest(1),
                greatest: $0.unsigned(2),
                controls: $0.unsigned(3),
                controlHead: $0.digest(4),
                named: $0.unsigned(5),
                restored: $0.unsigned(7),
                isLinked: $0.integer(8) == 1,
                hasOtherChain: $0.integer(6) == 1
            )
        }
    }

    /// Returns the log's chain hash at a position; nil before and beyond the log.
    func chainHash(of space: Identifier, at position: UInt64) throws -> Digest? {
        try database.first(
            "SELECT chain FROM log WHERE space_id = \(space) AND position = \(position)"
        ) { $0.digest(0) }
    }

    /// Returns how many bytes the space keeps of a user's devices after they were shut out of it.
    private func keptByteCount(of user: Identifier, in space: Identifier) throws -> Int {
        try database.first(
            "SELECT sum(kept) FROM card WHERE space_id = \(space) AND user_id = \(user)"
        ) { Int($0.integer(0)) } ?? 0
    }

    func chunk(_ hash: Digest, in space: Identifier) throws -> [UInt8]? {
        try database.first(
            "SELECT bytes FROM chunk WHERE space_id = \(space) AND hash = \(hash)"
        ) { $0.blob(0) }
    }

    private func state(of replica: Identifier, in space: Identifier) throws -> ReplicaState {
        let owner = try database.first(
            "SELECT device_id FROM replica_owner WHERE replica_id = \(replica)"
        ) { $0.id(0) }
        var state = try head(of: replica, in: space) ?? ReplicaState()
        state.owner = owner
        return state
    }

    /// Without an order: with one, SQLite would read the whole log in its order.
    static func selectSets(named name: ReplicaSequence, in space: Identifier) -> SQL {
        """
        SELECT position, hash, verdict, reason, body IS NOT NULL
        FROM log WHERE space_id = \(space) AND replica_id = \(name.replica)
            AND sequence = \(name.sequence)
        """
    }

    fileprivate func sets(named name: ReplicaSequence, in space: Identifier) throws -> [LoggedSet] {
        try database.all(Self.selectSets(named: name, in: space)) {
            LoggedSet(
                position: $0.unsigned(0),
                hash: $0.digest(1),
                verdict: Verdict(rawValue: $0.unsigned(2)) ?? .refused,
                reason: $0.text(3),
                hasBody: $0.integer(4) == 1
            )
        }.sorted { $0.position < $1.position }
    }
}

extension LogFacts {
    /// Reads the held sets that a control set adopts, one after another, and judges them.
    ///
    /// Only for an admin, and for as many sets as one control set may decide on: any other one is
    /// refused without that.
    fileprivate mutating func readAdopted(by set: ControlSet, from tables: SQLiteTables) throws {
        guard set.decided.count <= ControlChain.decisionLimit,
            chain.role(ofDevice: set.author) ?? .viewer >= .admin
        else { return }
        let policy = AdmissionPolicy(chain)
        for reference in set.adopted {
            let name = reference.slot
            let held = try tables.database.first(
                """
                SELECT upload, body FROM log WHERE space_id = \(space)
                    AND replica_id = \(name.replica) AND sequence = \(name.sequence)
                    AND hash = \(reference.hash) AND verdict = \(Verdict.held.rawValue)
                """
            ) { (upload: try? Upload(parsing: $0.blob(0)), body: $0.isNull(1) ? nil : $0.blob(1)) }
            guard let held, let upload = held.upload else { continue }
            var known = try sets[name] ?? tables.sets(named: name, in: space)
            for place in known.indices where known[place].hash == reference.hash {
                known[place].upload = upload
            }
            sets[name] = known
            // What this server cannot read the members judge.
            guard let body = held.body, let set = try? ChangeSet(logged: upload, body: body)
            else { continue }
            if policy.obstacle(toAdopting: set, hash: upload.hash, .standard) != nil {
                unadoptable.insert(reference)
            }
        }
    }
}

extension SQLiteTables {
    func store(_ rows: LogRows, in space: Identifier, at now: UnixTime) throws {
        for chunk in rows.chunks { try insertChunk(chunk.bytes, chunk.hash, in: space) }
        for hash in rows.wanted { try wantChunk(hash, in: space) }
        for replica in rows.replicas { try storeReplica(replica.id, replica.state, in: space) }
        for entry in rows.entries { try insertEntry(entry, in: space) }
        for row in rows.bodies {
            try database.run(
                """
                UPDATE log SET body = \(row.body)
                WHERE space_id = \(space) AND position = \(row.position)
                """
            )
        }
        try storeControls(rows, in: space, at: now)
        if let end = rows.end { try storeEnd(end, of: space) }
    }

    private func storeEnd(_ end: LogEnd, of space: Identifier) throws {
        try database.run(
            """
            UPDATE space SET head = \(end.head), chain = \(end.chain), greatest = \(end.greatest),
                controls = \(end.controls), control_head = \(end.controlHead),
                named = \(end.named), has_other_chain = \(end.hasOtherChain ? 1 : 0)
            WHERE space_id = \(space)
            """
        )
    }

    private func storeReplica(
        _ replica: Identifier,
        _ state: ReplicaState,
        in space: Identifier
    ) throws {
        guard let owner = state.owner, state.head != nil else { return }
        try database.run(
            """
            INSERT INTO replica_owner (replica_id, device_id) VALUES (\(replica), \(owner))
            ON CONFLICT (replica_id) DO UPDATE SET device_id = excluded.device_id
            """
        )
        try storeHead(state, of: replica, in: space)
    }

    private func insertEntry(_ entry: LogEntryRow, in space: Identifier) throws {
        let content = entry.content
        try database.run(
            """
            INSERT INTO log (space_id, position, replica_id, sequence, hash, verdict, reason,
                receipt, chain, upload, body, received)
            VALUES (\(space), \(entry.position), \(entry.name.replica), \(entry.name.sequence),
                \(entry.name.hash), \(content.verdict.rawValue), \(content.reason),
                \(entry.receipt), \(entry.chain), \(content.upload), \(content.body),
                \(entry.received.milliseconds))
            """
        )
    }
}
