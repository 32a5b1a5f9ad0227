/// Seals local changes into signed change sets.
package struct Sealer: ReplicaPart {
    package let context: ReplicaContext

    /// Seals all unsealed changes of every space and returns the number of new change sets.
    ///
    /// Seals nothing before this device has joined a server, since the server issues the device's
    /// keys.
    @discardableResult
    package func seal(at moment: Moment) throws -> Int {
        try database.all("SELECT id FROM space ORDER BY number") { $0.id(0) }
            .reduce(0) { try $0 + seal($1, at: moment) }
    }

    func seal(_ space: Identifier, at moment: Moment) throws -> Int {
        let number = try spaces.number(ofSpace: space)
        guard try unsealed.hasChanges(number) else { return 0 }
        let deviceKeys = try identity.deviceKeys()
        let spaceKeys = try controls.soundKeys(of: space)
        guard deviceKeys.epoch != nil, spaceKeys.epoch != nil else { return 0 }
        try advanceGuard(at: moment.wall)
        try restamp(number, at: moment)
        let batches = try batches(of: number)
        // Before the sets are inserted, so that they take the pages that become free.
        try database.run(
            """
            DELETE FROM unsealed WHERE reissued != \(Unsent.State.waiting.rawValue)
                AND EXISTS (SELECT 1 FROM row WHERE number = unsealed.row AND space = \(number))
            """
        )
        for (batch, isUnchecked) in batches {
            let seal = try nextSeal(of: number, space, deviceKeys.device)
            let sealed = try seal(batch, space: spaceKeys, device: deviceKeys)
            let set = try insertOwn(sealed, seal, number, isUnchecked: isUnchecked)
            try history.indexRows(Set(batch.map(\.key.rowName)).sorted(), in: number, set: set)
        }
        return batches.count
    }

    /// Makes the counter of this database the one beside it, which is ahead: a restored database got its
    /// new replica id.
    func levelGuard() throws {
        guard let beside = context.localGuard?.read() else { return }
        try database.run("UPDATE self SET seals = \(beside) WHERE seals < \(beside)")
    }

    /// Returns what goes into one set each.
    ///
    /// Changes whose time no server checked stay apart from the others. Changes without a time go
    /// with them, if there are any.
    private func batches(of space: Int64) throws -> [(changes: [Change], isUnchecked: Bool)] {
        let changes = try unsealed.all(space).filter { $0.state != .waiting }
        let periods = try clockPeriods.all()
        let hasUnchecked = changes.contains { $0.isUnchecked(in: periods) }
        return [true, false].flatMap { isUnchecked in
            let group = changes.filter {
                let isTimeless = $0.change.cell.stamp.isTimeless
                return isUnchecked
                    == (isTimeless ? hasUnchecked : $0.isUnchecked(in: periods))
            }
            let batches = Seal.batches(of: group.map(\.change)) {
                ChunkReference($0.cell)?.kind == .file
            }
            return batches.map { ($0, isUnchecked) }
        }
    }

    func nextSeal(
        of number: Int64,
        _ space: Identifier,
        _ device: Identifier
    ) throws -> Seal {
        let seal = try database.first(
            """
            SELECT p.sequence, p.previous, p.epoch, p.position, s.replica, p.chain, p.controls
            FROM space p, self s WHERE p.number = \(number)
            """
        ) {
            Seal(
                space: space,
                device: device,
                replica: $0.id(4),
                sequence: $0.unsigned(0) + 1,
                previous: $0.digest(1),
                seen: Seen(
                    position: LogPosition(epoch: $0.id(2), position: $0.unsigned(3)),
                    chain: $0.digest(5),
                    controls: $0.unsigned(6)
                )
            )
        }
        guard let seal else { throw ReplicaError.unknownSpace(space) }
        return seal
    }

    /// - Parameters:
    ///   - control: the index of a control set.
    ///   - isUnchecked: whether no server told if the clock was right at its changes.
    func insertOwn(
        _ sealed: Seal.Sealed,
        _ seal: Seal,
        _ space: Int64,
        control: UInt64? = nil,
        isUnchecked: Bool = false
    ) throws -> Int64 {
        try database.run(
            """
            INSERT INTO sealed (space, replica, sequence, hash, upload, body, own, control)
            VALUES (\(space), \(replicas.number(of: seal.replica)), \(seal.sequence),
                \(sealed.hash), \(sealed.upload), \(sealed.body), 1, \(control))
            """
        )
        let set = database.lastInsertedRow
        if isUnchecked { try database.run("INSERT INTO unchecked_time VALUES (\(set))") }
        try database.run(
            """
            UPDATE space SET sequence = \(seal.sequence), previous = \(sealed.hash)
            WHERE number = \(space)
            """
        )
        return set
    }

    /// Compares the database's seal counter with the copy beside the file, then advances both.
    ///
    /// Works once per transaction. If the copy is ahead, the database was restored or cloned, so
    /// the replica takes a new id.
    func advanceGuard(at now: UnixTime) throws {
        guard let localGuard = context.localGuard, !localGuard.isAdvanced else { return }
        localGuard.isAdvanced = true
        let seals = try database.first("SELECT seals FROM self") { $0.integer(0) } ?? 0
        let beside = localGuard.read() ?? seals
        let isCopy = beside > seals + 1
        if isCopy { try overlay.renameReplica(at: now) }
        // After a rollback the next attempt writes the same number, so a rollback never looks like
        // a restored copy.
        let next = (isCopy ? beside : seals) + 1
        try localGuard.write(next)
        try database.run("UPDATE self SET seals = \(next)")
    }
}
