/// The outcome of a salvage.
public struct Salvage: Hashable, Sendable {
    /// Whether the new replica is the same device, with its keys.
    ///
    /// Otherwise it is a new device, which must join again and brings the salvaged data along.
    public internal(set) var isSameDevice = true
    /// Sealed sets of all replicas whose tags are right.
    public internal(set) var sets = 0
    /// Fields that no salvaged set carries.
    public internal(set) var unsealed = 0
    /// Chunks whose bytes match their hash.
    public internal(set) var chunks = 0
    /// Samples of recordings that are in no chunk yet.
    public internal(set) var samples = 0
    /// Sets, chunks and runs of samples that were found but are damaged.
    public internal(set) var damaged = 0
    /// Pages of the damaged file.
    public internal(set) var pages = 0
    /// Pages that were unreadable at least in part.
    ///
    /// Their content is unknown.
    public internal(set) var unreadablePages = 0
}

/// Fills a new replica with the readable data of a damaged one.
package struct Salvager: ReplicaPart {
    package let context: ReplicaContext

    /// Fills this new replica from a damaged replica's file.
    ///
    /// The file is not changed. Throws ``ReplicaError/missing`` if the file contains nothing of a
    /// replica.
    package func fill(from path: String, at now: UnixTime) throws -> Salvage {
        let file = try DamagedFile(path: path)
        var recovered = RecoveredDatabase()
        file.each { recovered.take($0) }
        guard !recovered.isNothing else { throw ReplicaError.missing }
        var salvaging = Salvaging(
            recovered: recovered,
            own: try spaces.number(ofSpace: try spaces.own()),
            device: DeviceKeys(
                device: recovered.identity?.device ?? .zero,
                secrets: recovered.deviceKeys
            )
        )
        if recovered.isWhole { try copyIdentity(of: recovered) }
        try file.each { try readRecord($0, in: &salvaging) }
        try checkChunks(in: &salvaging)
        try rebuildChains(of: salvaging)
        (salvaging.salvage.pages, salvaging.salvage.unreadablePages) = file.tally
        try layOver(&salvaging)
        try holdBackLost()
        for space in salvaging.controls.keys.sorted() {
            try controlSealer.redoLost(in: space, at: now)
        }
        let salvage = salvaging.salvage
        try events.record(
            .salvaged,
            "sets: \(salvage.sets), unsealed fields: \(salvage.unsealed), chunks: \(salvage.chunks)",
            at: now
        )
        return salvage
    }
}

/// The identity and the keys.
extension Salvager {
    private func copyIdentity(of recovered: RecoveredDatabase) throws {
        guard let found = recovered.identity else { return }
        try database.run(
            """
            UPDATE self
                SET name = \(found.name), user = \(found.user), device = \(found.device),
                signing_key = \(found.keys.signing.seed.bytes),
                agreement_key = \(found.keys.agreement.secret.bytes),
                authority = \(found.authority), trust = \(found.trust?.description)
            """
        )
        // The new replica founded a space of its own.
        try database.run("DELETE FROM sealed")
        try database.run("DELETE FROM chunk")

        try database.addDeviceKeys(recovered.deviceKeys)
        try database.run("DELETE FROM space_key")
        try database.run("DELETE FROM space")
        for (number, space) in recovered.spaces {
            let kind = space.kind ?? (recovered.isOwnSpace(number) ? .own : .shared)
            try database.addSpace(space.id, kind: kind)
            try database.run("UPDATE space SET number = \(number) WHERE id = \(space.id)")
            for (epoch, secret) in recovered.spaceKeys[number] ?? [:] {
                try database.setKey(of: space.id, epoch: epoch, secret)
            }
            for device in recovered.lostRevocations[number] ?? [] {
                try controls.shutOut(device, of: number)
            }
        }
    }
}

/// Sets, chunks and tails, one at a time.
extension Salvager {
    private func readRecord(_ record: DamagedRecord, in salvaging: inout Salvaging) throws {
        var isSound = true
        if RecordShape.sealed.fits(record) {
            isSound = try readSet(record.values, number: record.number, in: &salvaging)
        } else if RecordShape.chunk.fits(record) {
            isSound = try readChunk(record.values, number: record.number, in: &salvaging)
        } else if RecordShape.chunkSlice.fits(record) {
            try readSlice(record, in: &salvaging)
        } else if RecordShape.tail.fits(record) {
            isSound = try readTail(record.values, in: &salvaging)
        } else if RecordShape.unreadable.fits(record), salvaging.recovered.isWhole {
            try readUnreadable(record.values, in: salvaging)
        }
        if !isSound { salvaging.salvage.damaged += 1 }
    }

    /// Salvages a set; returns false if it is damaged.
    private func readSet(
        _ values: [SQLiteValue],
        number row: Int64,
        in salvaging: inout Salvaging
    ) throws -> Bool {
        guard let bytes = values.blob(5), let upload = try? Upload(parsing: bytes),
            let number = values.integer(1),
            salvaging.recovered.spaces[number]?.id == upload.header.space
        else { return false }
        guard !upload.isControl else {
            return try readControl(upload, values, number: row, in: &salvaging)
        }
        let keys = salvaging.recovered.keys(ofSpace: number, upload.header.space)
        let body = values.blob(6)
        // Own sets without a verdict are handled when all sets have been read.
        let isWaiting = salvaging.recovered.isWhole && values.integer(7) == 1 && values[9] == .null
        let isMerged = (values.integer(9) ?? 0) == 0 && values.integer(13) == 0 && !isWaiting
        var pending = values.text(12)
        let set = open(upload, body ?? [], with: keys, or: salvaging.device)
        if let set {
            pending = nil
            if isMerged { salvaging.add(set.changes, in: number) }
        } else if body != nil || upload.hash.bytes != values.blob(4) {
            // The set may need a newer program. Its own hash must match at least.
            guard pending != nil, upload.hash.bytes == values.blob(4) else { return false }
        }
        salvaging.salvage.sets += 1
        guard salvaging.recovered.isWhole else { return true }
        let valid = try upload.restored(by: salvaging.device) ?? upload
        let kept = try insert(valid, values, number: row, pending: pending)
        if let kept, let set { try history.indexRows(set.cells.rows, in: number, set: kept) }
        return true
    }

    private func open(
        _ upload: Upload,
        _ body: [UInt8],
        with keys: SpaceKeys,
        or device: DeviceKeys
    ) -> ChangeSet? {
        if let set = try? ChangeSet(opening: upload, body: body, with: keys) { return set }
        return try? ChangeSet(relaying: upload, body: body, from: device)
    }

    /// Inserts a set under its old number, because numbers tell the order of sealing.
    ///
    /// If a stale page repeats a number, the second set gets a new one.
    func insert(
        _ upload: Upload,
        _ values: [SQLiteValue],
        number: Int64,
        pending: String?
    ) throws -> Int64? {
        let isReissued = values.integer(13) == 1
        return try database.first(
            """
            INSERT INTO sealed (space, replica, sequence, hash, upload, body, own, verdict, reason,
                receipt, pending, reissued, adopted, number)
            VALUES (\(values[1]), \(replicas.number(of: upload.header.replica)),
                \(upload.header.sequence), \(upload.hash), \(upload.bytes), \(values[6]),
                \(values[7]), \(values[9]), \(isReissued ? SQLiteValue.null : values[10]),
                \(values[11]), \(pending), \(values[13]),
                \(values.integer(14) == 1 ? 1 : 0),
                CASE WHEN NOT EXISTS (SELECT 1 FROM sealed WHERE number = \(number)) THEN \(number)
                END)
            ON CONFLICT DO NOTHING RETURNING number
            """
        ) { $0.integer(0) }
    }

    /// Salvages samples of a tail; returns false if they cannot be unpacked.
    private func readTail(_ values: [SQLiteValue], in salvaging: inout Salvaging) throws -> Bool {
        guard values.integer(8) == 0, let bytes = values.blob(6),
            let samples = try? Chunk.unpack(bytes), let stream = values.integer(3),
            let index = values.integer(4).flatMap(Int.init(exactly:)), index >= 0,
            let track = values.id(2), let space = values.integer(1).flatMap(salvaging.space),
            Int64(samples.count) == values.integer(5)
        else { return false }
        try points.appendTail(
            bytes,
            count: samples.count,
            from: SampleName(stream: UInt64(bitPattern: stream), index: index),
            to: RowAddress(space: space, id: track)
        )
        observer.chunksChanged(of: RowAddress(space: space, id: track))
        salvaging.salvage.samples += samples.count
        return true
    }

    private func readUnreadable(_ values: [SQLiteValue], in salvaging: Salvaging) throws {
        guard let space = values.integer(0).flatMap(salvaging.space) else { return }
        try database.run(
            """
            INSERT INTO unreadable (space, epoch, position, entry)
            VALUES (\(space), \(values[1]), \(values[2]), \(values[3]))
            ON CONFLICT DO NOTHING
            """
        )
    }
}

/// The overlay over the empty base.
extension Salvager {
    private func layOver(_ salvaging: inout Salvaging) throws {
        let rewritten = try readWaiting(in: &salvaging)
        let unsent = try salvaging.unsent(rewritten)
        salvaging.salvage.unsealed = unsent.reduce(0) { $0 + $1.value.count }
        let isWhole = salvaging.recovered.isWhole
        let replica = try identity.loadClock().replica
        for name in Set(salvaging.cells.keys).union(unsent.keys) {
            guard let space = salvaging.space(name.space),
                let row = isWhole ? name.row : try ownName(of: name)
            else { continue }
            var stored = try rows.open(space, name.collection, row)
            let cells = salvaging.cells[name] ?? [:]
            stored.overlay = CellRecord(cells)
            // A new device re-issues everything, as if it had been written before joining.
            let known = isWhole ? [:] : cells.mapValues { Unsent($0) }
            for (field, unsent) in known.merging(unsent[name] ?? [:], uniquingKeysWith: { $1 }) {
                let stamp = Stamp(time: unsent.time, replica: replica)
                let cell = Cell(stamp: stamp, encoded: unsent.value)
                stored.overlay[field] = isWhole ? max(cell, cells[field] ?? cell) : cell
                try unsealed.put(stored.number, field, unsent)
            }
            for (field, cell) in stored.overlay.cells {
                try chunks.wantNamed(by: cell.encoded, at: stored.key(field), in: space)
            }
            try rows.save(stored)
        }
        try identity.saveClock(StampClock(replica: replica, last: salvaging.greatest))
    }

    /// Handles own sets without a verdict, and returns the fields that must be reissued.
    ///
    /// No server accepts a set whose predecessor or chunk is lost.
    private func readWaiting(
        in salvaging: inout Salvaging
    ) throws -> [RecoveredDatabase.Place: [Text: Unsent]] {
        let waiting = try database.all(
            """
            SELECT q.number, q.upload, q.body, q.space, q.sequence = 1 OR EXISTS (
                SELECT 1 FROM sealed p WHERE p.space = q.space AND p.replica = q.replica
                    AND p.sequence = q.sequence - 1)
            FROM sealed q WHERE q.own = 1 AND q.verdict IS NULL AND q.reissued = 0
            ORDER BY q.space, q.replica, q.sequence
            """
        ) { (space: $0.integer(3), set: try sets.queuedSet($0), isLinked: $0.integer(4) == 1) }
        var broken: Set<Identifier> = []
        var rewritten: [RecoveredDatabase.Place: [Text: Unsent]] = [:]
        for (space, set, isLinked) in waiting {
            let changes = set.upload.isControl ? [] : try sets.changes(of: set)
            if try !isLinked || namesLostChunk(set.upload) {
                broken.insert(set.upload.header.replica)
            }
            guard broken.contains(set.upload.header.replica) else {
                salvaging.add(changes, in: space)
                continue
            }
            // Kept, it would be a chain with a gap for ever.
            try history.forget(set.number, at: changes.map(\.key.rowName), in: space)
            try database.run("DELETE FROM sealed WHERE number = \(set.number)")
            for change in changes {
                let place = RecoveredDatabase.Place(change.key, in: space)
                rewritten[place, default: [:]][change.key.field] = Unsent(change.cell)
            }
        }
        return rewritten
    }

    /// Returns a row's name on a new device, or nil if only the old device may write the row.
    private func ownName(of place: RecoveredDatabase.Place) throws -> Row? {
        let schema = collections[place.collection]
        if schema?.rows == .devices { return nil }
        return switch schema?.owner(of: place.row) {
        case nil: place.row
        case .user: Row.user(try identity.current().user)
        case .device, .nobody: nil
        }
    }
}
