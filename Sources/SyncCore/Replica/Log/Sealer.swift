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
        let permissions = try controls.permissions(inSpace: number)
        let changes = try unsealed.all(number).filter { $0.state != .waiting }
        let batches = try batches(changes, permissions)
        // Before the sets are inserted, so that they take the pages that become free.
        try database.run(
            """
            DELETE FROM unsealed WHERE reissued != \(Unsent.State.waiting.rawValue)
                AND EXISTS (SELECT 1 FROM row WHERE number = unsealed.row AND space = \(number))
            """
        )
        for batch in batches {
            let seal = try nextSeal(of: number, space, deviceKeys.device)
            let sealed = try seal(batch.changes, space: spaceKeys, device: deviceKeys)
            let set = try insertOwn(sealed, seal, number, isUnchecked: batch.kind.isUnchecked)
            let rows = Set(batch.changes.map(\.key.rowName)).sorted()
            try history.indexRows(rows, in: number, set: set)
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
    /// with them, if there are any. What this person may not write stays apart too, so that nothing
    /// else is refused with it.
    private func batches(
        _ changes: [UnsealedChange],
        _ permissions: Permissions
    ) throws -> [Batch] {
        let periods = try clockPeriods.all()
        let hasUnchecked = changes.contains { $0.isUnchecked(in: periods) }
        let proofs = try controls.proofs(for: changes.map(\.change), permissions)
        let groups = Dictionary(grouping: changes) { written in
            let isTimeless = written.change.cell.stamp.isTimeless
            let isMaker = proofs[written.change.key.row] != nil
            return Batch.Kind(
                isUnchecked: isTimeless ? hasUnchecked : written.isUnchecked(in: periods),
                isAllowed: permissions.of(written.change, isMaker: isMaker) == .allowed
            )
        }
        return Batch.Kind.all.flatMap { kind in
            let group = groups[kind, default: []].map(\.change)
            let parts = Seal.batches(of: group, with: { proofs[$0.key.row] }) {
                ChunkReference($0.cell)?.kind == .file
            }
            return parts.map { Batch(kind: kind, changes: $0) }
        }
    }

    /// The changes of one set.
    private struct Batch {
        let kind: Kind
        let changes: [Change]

        /// What goes into no set with anything else.
        struct Kind: Hashable {
            let isUnchecked: Bool
            let isAllowed: Bool

            /// In the order in which they are sealed.
            static let all = [true, false].flatMap { isUnchecked in
                [true, false].map { Kind(isUnchecked: isUnchecked, isAllowed: $0) }
            }
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
