/// A row's place in a space.
///
/// The row is encoded, so that even a damaged name has a place.
package struct RowPlace: Hashable, Sendable {
    package let collection: Text
    /// The encoded row.
    package let row: [UInt8]
}

/// Compares the bases of two replicas and rebuilds rows.
package struct Audit: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the sums of a space's base in the order of the parts, with the cursor of the base.
    ///
    /// A server's view and a device both answer with this function. A part without cells has no
    /// sum. The sum of an unreadable record depends on its bytes, so it equals no other replica's.
    package func sums(
        _ space: Identifier,
        _ scope: AuditScope
    ) throws -> (cursor: LogPosition, sums: [AuditSum]) {
        guard let summary = try spaces.all().first(where: { $0.id == space }) else {
            throw ReplicaError.unknownSpace(space)
        }
        let sums = try sumParts(try spaces.number(ofSpace: space), scope)
        return (summary.merged, sums)
    }

    private func sumParts(_ space: Int64, _ scope: AuditScope) throws -> [AuditSum] {
        switch scope {
        case .collections:
            var sums: [Text: Fingerprint] = [:]
            try eachBase(in: space) { sums[$0.collection, default: Fingerprint()].add($1) }
            return sums.sorted { $0.key < $1.key }
                .map { AuditSum(name: .collection($0.key), sum: $0.value) }
        case .buckets(let collection):
            var sums: [UInt8: Fingerprint] = [:]
            try eachBase(in: space, collection) { sums[$0.bucket, default: Fingerprint()].add($1) }
            return sums.sorted { $0.key < $1.key }
                .map { AuditSum(name: .bucket($0.key), sum: $0.value) }
        case .rows(let collection, let bucket):
            var sums: [AuditSum] = []
            try eachBase(in: space, collection) { place, sum in
                guard place.bucket == bucket else { return }
                sums.append(AuditSum(name: .row(place.row), sum: sum))
            }
            return sums
        }
    }

    /// Passes each row that has base cells, with their sum, to `body`.
    private func eachBase(
        in space: Int64,
        _ collection: Text? = nil,
        _ body: (RowPlace, Fingerprint) throws -> Void
    ) throws {
        let read: (Statement) throws -> Void = { statement in
            let place = RowPlace(collection: Text(statement.text(0)), row: statement.blob(1))
            guard let sum = try self.sum(of: statement.blob(2), at: place) else { return }
            try body(place, sum)
        }
        if let collection {
            try database.each(
                """
                SELECT collection, row, base FROM row
                WHERE space = \(space) AND collection = \(collection) ORDER BY row
                """,
                read: read
            )
        } else {
            try database.each(
                "SELECT collection, row, base FROM row WHERE space = \(space)",
                read: read
            )
        }
    }

    /// Returns the sum of a row's cells, or nil if it has none.
    private func sum(of record: [UInt8], at place: RowPlace) throws -> Fingerprint? {
        do {
            let row = try Row(decoding: place.row)
            let cells = try context.cells(in: record).cells
            guard !cells.isEmpty else { return nil }
            return cells.reduce(into: Fingerprint()) { sum, cell in
                let key = Key(place.collection, row, cell.key)
                sum.add(Change(key: key, cell: cell.value).digest)
            }
        } catch  where error is ReplicaError || error is CBORError {
            return Fingerprint(bytes: Digest(of: place.row + record).bytes)
        }
    }
}

extension RowPlace {
    /// The first byte of the SHA-256 of the encoded row.
    package var bucket: UInt8 { Digest(of: row).bytes[0] }
}

extension Audit {
    /// Rebuilds rows of the base from the kept sets, and the fingerprint from all rows.
    ///
    /// Returns the rows that changed. Every set's tags are checked again. Pending sets do not
    /// count, as in the base. The replica must have the body of every set.
    package func repairBase(_ rows: Set<RowPlace>, of space: Identifier) throws -> Set<RowPlace> {
        let number = try spaces.number(ofSpace: space)
        let merged = try mergedAnew(rows, of: space, number)
        let changed = try rows.filter { try repair($0, merged[$0] ?? [:], in: number) }
        // A row that was lost and inserted again has a new number.
        if !changed.isEmpty { _ = try history.repairIndex() }
        try storeFingerprint(of: number)
        return changed
    }

    /// Computes the fingerprint of a space from all rows.
    func fingerprint(of space: Int64) throws -> Fingerprint {
        var fingerprint = Fingerprint()
        try eachBase(in: space) { fingerprint.add($1) }
        return fingerprint
    }

    /// Stores the fingerprint that all rows give.
    func storeFingerprint(of space: Int64) throws {
        let fingerprint = try fingerprint(of: space)
        try database.run(
            "UPDATE space SET fingerprint = \(fingerprint.bytes) WHERE number = \(space)"
        )
    }

    /// Merges the log's sets for the given rows.
    private func mergedAnew(
        _ rows: Set<RowPlace>,
        of space: Identifier,
        _ number: Int64
    ) throws -> [RowPlace: [Text: Cell]] {
        let keys = try spaces.keys(of: space)
        var merged: [RowPlace: [Text: Cell]] = [:]
        try database.each(
            """
            SELECT upload, body FROM sealed WHERE space = \(number) AND position IS NOT NULL
                AND verdict = 0 AND pending IS NULL AND body IS NOT NULL
            """
        ) { statement in
            let upload = try Upload(parsing: statement.blob(0))
            guard !upload.isControl else { return }
            let set = try ChangeSet(opening: upload, body: statement.blob(1), with: keys)
            for change in set.changes {
                let key = change.key
                let place = RowPlace(collection: key.collection, row: key.row.encoded)
                if rows.contains(place) { merged[place, default: [:]].merge(change) }
            }
        }
        return merged
    }

    /// Stores a row's base if it differs; overlay cells above it stay.
    private func repair(_ place: RowPlace, _ cells: [Text: Cell], in space: Int64) throws -> Bool {
        guard let row = try? Row(decoding: place.row) else {
            return try removeRow(place, in: space)
        }
        // A row that no set wrote and that does not exist stays absent.
        guard try !cells.isEmpty || hasRow(place, in: space) else { return false }
        var stored = try rows.open(space, place.collection, row)
        guard stored.base.cells != cells else { return false }
        stored.base = CellRecord(cells)
        stored.overlay = CellRecord(
            stored.overlay.cells.filter { field, cell in cells[field].map { $0 < cell } ?? true }
        )
        try rows.save(stored)
        for (field, cell) in cells {
            try chunks.wantNamed(by: cell.encoded, at: stored.key(field), in: space)
        }
        return true
    }

    private func hasRow(_ place: RowPlace, in space: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM row WHERE space = \(space) AND collection = \(place.collection)
                AND row = \(place.row)
            """
        ) { _ in true } ?? false
    }

    /// Removes a row whose name cannot be decoded: no program wrote it.
    private func removeRow(_ place: RowPlace, in space: Int64) throws -> Bool {
        try database.run(
            """
            DELETE FROM history WHERE row IN (
                SELECT number FROM row WHERE space = \(space)
                    AND collection = \(place.collection) AND row = \(place.row))
            """
        )
        return try database.run(
            """
            DELETE FROM row WHERE space = \(space) AND collection = \(place.collection)
                AND row = \(place.row)
            """
        ) > 0
    }
}
