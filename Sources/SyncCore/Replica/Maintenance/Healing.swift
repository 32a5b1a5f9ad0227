/// Restores damaged parts of the file from other parts.
///
/// ``Replica/read(_:)`` and ``Replica/write(_:)`` call it when they meet damage, and run again.
package struct Healing: ReplicaPart {
    package let context: ReplicaContext

    /// Restores a part and records the event.
    func heal(_ damage: Damage) throws {
        let now = try lastTime()
        let words =
            switch damage {
            case .row(let number): try healRow(number)
            case .changes: try healChanges()
            case .set(let number): try healSet(number)
            case .chunk(let hash): try setAside(hash)
            case .samples(let number): try loseSamples(number)
            case .secret(let space, let epoch): try healSecret(of: space, epoch)
            case .keys: try healKeys()
            case .log(let space): try mergeAgain(space, "change sets of the log were", at: now)
            case .cursor(let space):
                try mergeAgain(space, "the record of how much of the log is merged was", at: now)
            }
        try record(.repaired, words)
    }

    /// Records an event that was noticed by a call without a time, such as reading.
    func record(_ kind: ReplicaEvent.Kind, _ words: String) throws {
        let last = try lastTime()
        try events.record(kind, words, at: max(context.clock?() ?? last, last))
    }

    /// The time of this replica's last stamp.
    private func lastTime() throws -> UnixTime {
        let clock = try identity.loadClock()
        return Stamp(time: clock.last, replica: clock.replica).wall
    }

    /// Restores every damaged record; returns how many there were.
    func healAll() throws -> Int {
        let found = try damagedRecords()
        try found.forEach(heal)
        return found.count
    }

    private func damagedRecords() throws -> [Damage] {
        let rows = try database.all("SELECT number, base, overlay FROM row") { row in
            let isSound = [1, 2].allSatisfy { (try? context.cells(in: row.blob($0))) != nil }
            return isSound ? nil : Damage.row(row.integer(0))
        }
        let spaces = try database.all("SELECT number, id FROM space") { ($0.integer(0), $0.id(1)) }
        let numbers = spaces.map(\.0)
        let hasDamagedChanges = try numbers.contains { try !unsealed.read($0).damaged.isEmpty }
        let waiting = try numbers.flatMap { try sets.damagedWaiting(in: $0) }
        let secrets = try spaces.flatMap { number, id in
            try controls.damagedEpochs(of: self.spaces.keys(of: id)).map {
                Damage.secret(space: number, epoch: $0)
            }
        }
        let cursors = try lineage.damagedCursors()
        // A damaged cursor has the log merged again, too.
        let logs = try numbers.filter { space in
            guard !cursors.contains(space) else { return false }
            return try !rebase.damagedSets(of: space).isEmpty
                || lineage.missingEntries(of: space) != nil
        }
        // Lost keys, which `verify` tells, keep nothing else from being restored.
        let device = try identity.current()
        let hasDamagedKeys = !device.hasItsKeys && device.restoredKeys != nil
        return (hasDamagedKeys ? [.keys] : []) + cursors.map(Damage.cursor)
            + logs.map(Damage.log) + secrets + rows.compactMap(\.self)
            + (hasDamagedChanges ? [.changes] : []) + waiting.map(Damage.set)
            + (try points.damagedTails().map(Damage.samples))
    }

    private func healSecret(of space: Int64, _ epoch: UInt64) throws -> String {
        switch try controls.restoreSecret(of: space, epoch: epoch) {
        case .numbered(let epoch):
            "the number of key epoch \(epoch) was damaged, and was restored"
        case .decrypted: "the secret of key epoch \(epoch) was damaged, and was decrypted again"
        case .lost:
            "the secret of key epoch \(epoch) was damaged, and is lost here, because no wrap of it is "
                + "at hand"
        }
    }

    private func healKeys() throws -> String {
        try identity.restoreKeys()
        return "a bit of this device's keys or id was damaged, and was restored"
    }

    private func mergeAgain(_ space: Int64, _ what: String, at now: UnixTime) throws -> String {
        try rebase.mergeAgain(space, at: now)
        return "\(what) damaged; the log is merged again"
    }

    private func loseSamples(_ number: Int64) throws -> String {
        let track = try points.loseTail(number).map { " of track \($0)" } ?? ""
        return "recorded samples\(track) that no other device has were damaged, and were set aside"
    }

    private func setAside(_ hash: Digest) throws -> String {
        try chunks.setAside(hash)
        return "the damaged bytes of chunk \(hash), which no server has, were set aside"
    }

    /// Merges the cells of a row again from its sets and its unsealed changes.
    ///
    /// If the index of rows lacks a set, the fingerprint differs; then all sets of the space are read.
    private func healRow(_ number: Int64) throws -> String {
        let found = try database.first(
            "SELECT space, collection, row FROM row WHERE number = \(number)"
        ) {
            (space: $0.integer(0), collection: Text($0.text(1)), row: try Row(decoding: $0.blob(2)))
        }
        guard let found else { throw ReplicaError.damagedRecord }
        let fingerprint = try database.first(
            "SELECT fingerprint FROM space WHERE number = \(found.space)"
        ) { Fingerprint(bytes: $0.blob(0)) }
        try database.run("UPDATE row SET base = x'', overlay = x'' WHERE number = \(number)")
        var merge = RowMerge(name: Key(found.collection, found.row, ""))
        for set in try history.sets(of: number) { try take(set, into: &merge) }
        try save(merge, as: number, in: found.space)
        if try audit.fingerprint(of: found.space) != fingerprint {
            merge = RowMerge(name: merge.name)
            let all = try database.all("SELECT number FROM sealed WHERE space = \(found.space)") {
                $0.integer(0)
            }
            for set in all { try take(set, into: &merge) }
            try save(merge, as: number, in: found.space)
        }
        try audit.storeFingerprint(of: found.space)
        return "the cells of row \(found.row) of \(found.collection.string) were damaged, and were "
            + "merged again" + (merge.isWhole ? "" : " from what was left of its change sets")
    }

    /// Merges what a set says of a row, if the set counts.
    private func take(_ set: Int64, into merge: inout RowMerge) throws {
        let counting = try database.first(
            """
            SELECT number, upload, body, position IS NOT NULL FROM sealed
            WHERE number = \(set) AND body IS NOT NULL AND pending IS NULL AND control IS NULL
                AND coalesce(verdict, 0) = 0 AND (position IS NOT NULL OR reissued = 0)
            """
        ) { (set: try? sets.queuedSet($0), isMerged: $0.integer(3) == 1) }
        guard let counting else { return }
        let changes = counting.set.flatMap { try? sets.changes(of: $0) }
        merge.take(changes, isMerged: counting.isMerged)
    }

    private func save(_ merge: RowMerge, as number: Int64, in space: Int64) throws {
        var overlay = merge.overlay
        for written in try unsealed.read(space).sound where written.row == number {
            overlay.merge(written.change)
        }
        guard var stored = try rows.find(numbered: number) else {
            throw ReplicaError.damagedRecord
        }
        stored.base = CellRecord(merge.base)
        stored.overlay = CellRecord(
            overlay.filter { field, cell in merge.base[field].map { cell > $0 } ?? true }
        )
        try rows.save(stored)
    }
}

/// The cells of one row while they are merged again.
private struct RowMerge {
    let name: Key
    var base: [Text: Cell] = [:]
    var overlay: [Text: Cell] = [:]
    /// Whether every set could be read: the cells of others are lost with those of the row.
    var isWhole = true

    mutating func take(_ changes: [Change]?, isMerged: Bool) {
        isWhole = isWhole && changes != nil
        for change in changes ?? [] where change.key.rowName == name {
            if isMerged { base.merge(change) } else { overlay.merge(change) }
        }
    }
}

/// The changes of this device that no server has.
extension Healing {
    /// Takes damaged unsealed changes from the overlays, which have their own sum.
    private func healChanges() throws -> String {
        let spaces = try database.all("SELECT number FROM space") { $0.integer(0) }
        for space in spaces { try unsealed.read(space).damaged.forEach(unsealed.remove) }
        let author = try identity.loadClock().replica
        let count = try spaces.reduce(0) { try $0 + unsealAgain(in: $1, by: author).count }
        return count == 0
            ? "an unsent change was damaged, as was its row; its field has the value from before"
            : "unsent changes were damaged, and were read again from the cells of their rows"
    }

    /// Makes own cells of the overlays unsealed changes if neither a waiting set nor an unsealed
    /// change has them; returns the rows.
    ///
    /// - Parameter author: the replica id that wrote the cells.
    private func unsealAgain(in space: Int64, by author: Identifier) throws -> Set<Key> {
        let known = try knownStamps(in: space, by: author)
        let numbers = try database.all(
            "SELECT number FROM row WHERE space = \(space) AND overlay != x''"
        ) { $0.integer(0) }
        var changed: Set<Key> = []
        for number in numbers {
            guard let stored = try rows.find(numbered: number) else { continue }
            for (field, cell) in stored.overlay.cells
            where cell.stamp.replica == author
                && known[stored.key(field)]?.contains(cell.stamp) != true
            {
                try unsealed.put(number, field, Unsent(cell, state: try state(of: cell)))
                changed.insert(stored.key(""))
            }
        }
        return changed
    }

    /// A change that names a chunk whose only copy was damaged waits until the chunk is here again.
    private func state(of cell: Cell) throws -> Unsent.State {
        guard let reference = ChunkReference(cell), try chunks.wasDamaged(reference.hash) else {
            return .reissued
        }
        return .waiting
    }

    /// Returns the stamps that the waiting sets of a replica id, or unsealed changes, have.
    private func knownStamps(
        in space: Int64,
        by author: Identifier
    ) throws -> [Key: Set<Stamp>] {
        var known: [Key: Set<Stamp>] = [:]
        func add(_ change: Change) { known[change.key, default: []].insert(change.cell.stamp) }
        // What is damaged is restored by itself; to wait for it here would never end.
        try sets.eachQueued(in: space, skipsDamaged: true) { set in
            guard set.upload.header.replica == author else { return }
            try sets.readable(set).forEach(add)
        }
        try unsealed.read(space).sound.map(\.change).forEach(add)
        return known
    }

    /// Gives up a damaged set of this replica and those after it; their changes, which the overlays
    /// have, are sealed again under a new replica id.
    ///
    /// The old name is never used again: the server may have the set.
    private func healSet(_ number: Int64) throws -> String {
        let place = try database.first(
            "SELECT space, replica, sequence FROM sealed WHERE number = \(number)"
        ) { (space: $0.integer(0), replica: $0.integer(1), sequence: $0.unsigned(2)) }
        guard let place else { throw ReplicaError.damagedRecord }
        let author = try replicas.name(numbered: place.replica)
        let lost = try database.all(
            """
            SELECT number, control FROM sealed
            WHERE space = \(place.space) AND replica = \(place.replica)
                AND sequence >= \(place.sequence) AND own = 1 AND position IS NULL
                AND verdict IS NULL AND reissued = 0 ORDER BY sequence
            """
        ) { (number: $0.integer(0), control: $0.isNull(1) ? nil : $0.integer(1)) }
        guard lost.allSatisfy({ $0.control != 0 }) else { throw ReplicaError.damagedRecord }
        for set in lost {
            if set.control != nil, try sets.isIntact(set.number) {
                try controlSealer.takeBack(set.number)
            } else {
                try forget(set.number, in: place.space)
            }
        }
        let changed = try unsealAgain(in: place.space, by: author)
        if try identity.loadClock().replica == author {
            try overlay.takeNewReplicaID()
        } else {
            try overlay.rebuild(changed, in: place.space)
        }
        return lost.contains { $0.number == number && $0.control != nil }
            ? "a change of devices or keys that waited to be sent was damaged, and is lost"
            : "a change set that waited to be sent was damaged; its changes are sealed again"
    }

    /// Removes a damaged set.
    ///
    /// Its header may name a wrong replica, and its body wrong rows.
    private func forget(_ set: Int64, in space: Int64) throws {
        let index = try SetIndex(of: space, in: database)
        let touched = index.rows.filter { $0.value.sets.contains(set) }.map(\.key)
        try history.forget(set, at: touched, in: space)
        try database.run("DELETE FROM sealed WHERE number = \(set)")
    }
}

extension ReplicaPart {
    package var healing: Healing { Healing(context: context) }
}
