/// One field to be written by this replica.
public struct Edit: Hashable, Sendable {
    /// Where.
    public let key: Key
    /// What; null unsets.
    public let value: Value
    /// Where it comes from.
    public let origin: Origin

    /// Where an edit comes from.
    public enum Origin: Hashable, Sendable {
        /// A person, now.
        case person
        /// A file: it is stamped below every other write and never written over anything.
        case file
        /// A recorder, which names so many samples: whenever they were packed, more win over fewer of
        /// the same name, so that an old copy never shortens a track.
        case recorder(sampleCount: Int)
    }

    /// The edit that sets `key` to `value`.
    public init(_ key: Key, _ value: Value, origin: Origin = .person) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}

extension Replica {
    /// Writes fields of one space; they are visible and durable at once, all or none.
    ///
    /// Values that are there already are not written again. Returns how many were. Texts hold up
    /// to 16 KiB and values up to 128 KiB: ``ReplicaError/tooLarge(field:byteCount:)``. Values nest
    /// up to 16 levels and numbers are finite: ``ReplicaError/notEncodable(field:)``.
    @discardableResult
    public func write(_ edits: [Edit], in space: Identifier, at now: UnixTime) throws -> Int {
        try write { try apply(edits, in: try number(ofSpace: space), at: now) }
    }

    /// Strict when written: what a person does has the types that the collections declare, else
    /// ``ReplicaError/wrongType(field:expected:)``.
    func checkTypes(of edits: [Edit]) throws {
        for edit in edits where edit.origin == .person && edit.value != .null {
            guard let field = collections.field(edit.key), !field.type.accepts(edit.value) else {
                continue
            }
            throw ReplicaError.wrongType(field: edit.key.field, expected: field.type.expected)
        }
    }

    /// Merges edits into the overlay, inside the caller's transaction.
    @discardableResult
    func apply(_ edits: [Edit], in space: Int64, at now: UnixTime) throws -> Int {
        var clock = try loadClock()
        var written = 0
        for (name, edits) in try grouped(edits) {
            var stored = try openRow(space, name.collection, name.row)
            for edit in edits {
                guard let cell = cell(for: edit, over: stored, clock: &clock, at: now) else {
                    continue
                }
                stored.overlay.cells[edit.key.field] = cell
                try setUnsealed(stored.number, edit.key.field, cell, at: now)
                written += 1
            }
            try save(stored)
        }
        try save(clock)
        return written
    }

    private func grouped(_ edits: [Edit]) throws -> [(name: Key, edits: [Edit])] {
        var groups: [(name: Key, edits: [Edit])] = []
        var places: [Key: Int] = [:]
        for edit in edits {
            try edit.check()
            let name = Key(edit.key.collection, edit.key.row, "")
            if let place = places[name] {
                groups[place].edits.append(edit)
            } else {
                places[name] = groups.count
                groups.append((name, [edit]))
            }
        }
        return groups
    }

    /// The cell that an edit makes, nil where there is nothing to write.
    private func cell(
        for edit: Edit,
        over stored: StoredRow,
        clock: inout StampClock,
        at now: UnixTime
    ) -> Cell? {
        let present = stored.cell(edit.key.field)
        switch edit.origin {
        case .person:
            let encoded = edit.value.encoded
            if present?.encoded == encoded || (present == nil && edit.value == .null) { return nil }
            return Cell(stamp: clock.tick(at: now), encoded: encoded)
        case .file:
            guard present == nil else { return nil }
            let stamp = Stamp(time: Stamp.importTime, replica: clock.replica)
            return Cell(stamp: stamp, value: edit.value)
        case .recorder(let count):
            let time = Stamp.importTime + UInt64(clamping: count)
            guard present.map({ $0.stamp.time < time }) ?? true else { return nil }
            return Cell(stamp: Stamp(time: time, replica: clock.replica), value: edit.value)
        }
    }

    func setUnsealed(_ row: Int64, _ field: Text, _ cell: Cell, at wall: UnixTime) throws {
        try database.run(
            """
            INSERT INTO unsealed (row, field, time, value, wall) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (row, field) DO UPDATE
            SET time = excluded.time, value = excluded.value, wall = excluded.wall, reissued = 0
            """,
            .integer(row),
            .blob(field.utf8),
            .unsigned(cell.stamp.time),
            .blob(cell.encoded),
            .integer(wall.milliseconds)
        )
    }
}

extension Change {
    /// The edit that says the same once more.
    var again: Edit {
        guard cell.stamp.isTimeless else { return Edit(key, cell.value) }
        let rank = Int(clamping: cell.stamp.time) - Int(Stamp.importTime)
        return Edit(key, cell.value, origin: rank > 0 ? .recorder(sampleCount: rank) : .file)
    }
}

extension Edit {
    private static let valueByteLimit = 128 * 1024

    fileprivate func check() throws {
        let longest = max(key.collection.utf8.count, key.field.utf8.count)
        guard longest <= Limits.textByteLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: longest)
        }
        guard key.row.isWithinLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: key.row.encoded.count)
        }
        guard value.isEncodable() else { throw ReplicaError.notEncodable(field: key.field) }
        guard value.longestText <= Limits.textByteLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: value.longestText)
        }
        let byteCount = value.encoded.count
        guard byteCount <= Self.valueByteLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: byteCount)
        }
    }
}

extension Value {
    /// The bytes of the longest text inside.
    fileprivate var longestText: Int {
        switch self {
        case .null, .bool, .integer, .float, .bytes: 0
        case .text(let text): text.utf8.count
        case .list(let values): values.map(\.longestText).max() ?? 0
        case .map(let values):
            values.map { max($0.key.utf8.count, $0.value.longestText) }.max() ?? 0
        }
    }

    /// Whether every reader takes the value: finite numbers, no deeper than the codec's limit.
    fileprivate func isEncodable(depth: Int = Limits.bodyDepth) -> Bool {
        switch self {
        case .null, .bool, .integer, .text, .bytes: true
        case .float(let number): number.isFinite
        case .list(let values):
            depth < CBORDecoder.depthLimit && values.allSatisfy { $0.isEncodable(depth: depth + 1) }
        case .map(let values):
            depth < CBORDecoder.depthLimit
                && values.values.allSatisfy { $0.isEncodable(depth: depth + 1) }
        }
    }
}
