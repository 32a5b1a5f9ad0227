/// A row's place in a space; the row as it is encoded, so that a damaged one can be named.
package struct RowPlace: Hashable, Sendable {
    /// What kind of thing the row is.
    package let collection: Text
    /// The row's encoding.
    package let row: [UInt8]

    package init(collection: Text, row: [UInt8]) {
        self.collection = collection
        self.row = row
    }
}

/// Compares the bases of two replicas, and merges rows anew.
package struct Audit: ReplicaPart {
    package let context: ReplicaContext

    /// The sums of a space's base, in the order of the parts, and where the base stands.
    ///
    /// View and device answer by this alone. A part without cells has no sum; a record that cannot
    /// be read has one that no other replica has.
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
            try eachBase(in: space, collection) {
                sums[$0.bucket, default: Fingerprint()].add($1)
            }
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

    /// Every row that has cells in the base, with their sum, in the order of the rows.
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
                WHERE space = \(space) AND collection = \(collection.string) ORDER BY row
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

    /// The sum of a row's cells, nil where there is none.
    private func sum(of record: [UInt8], at place: RowPlace) throws -> Fingerprint? {
        do {
            let row = try Row(decoding: place.row)
            let cells = try CellRecord(decoding: record, replica: replicas.id(numbered:)).cells
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
    /// The first byte of the encoding's SHA-256.
    package var bucket: UInt8 { Digest(of: row).bytes[0] }
}

extension Audit {
    /// Merges rows of the base anew from the log's sets that are kept, and the fingerprint from all
    /// rows; returns the rows that changed.
    ///
    /// The seals of the sets are checked again. For a replica that keeps every set's body; what is
    /// pending counts for nothing, as in the base.
    package func repairBase(_ rows: Set<RowPlace>, of space: Identifier) throws -> Set<RowPlace> {
        let number = try spaces.number(ofSpace: space)
        let merged = try mergedAnew(rows, of: space, number)
        let changed = try rows.filter { try repair($0, merged[$0] ?? [:], in: number) }
        // A row that was lost has another number now.
        if !changed.isEmpty { _ = try history.repairIndex() }
        var fingerprint = Fingerprint()
        try eachBase(in: number) { fingerprint.add($1) }
        try database.run(
            "UPDATE space SET fingerprint = \(fingerprint.bytes) WHERE number = \(number)"
        )
        return changed
    }

    /// The cells that the log's sets leave in rows.
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
            let set = try ChangeSet(opening: upload, body: statement.blob(1), with: keys)
            for change in set.changes {
                let key = change.key
                let place = RowPlace(collection: key.collection, row: key.row.encoded)
                guard rows.contains(place) else { continue }
                let present = merged[place]?[key.field]
                merged[place, default: [:]][key.field] =
                    present.map { max($0, change.cell) } ?? change.cell
            }
        }
        return merged
    }

    /// Stores a row's base unless it is as it must be; what the overlay has over it stays.
    private func repair(
        _ place: RowPlace,
        _ cells: [Text: Cell],
        in space: Int64
    ) throws -> Bool {
        guard let row = try? Row(decoding: place.row) else {
            return try removeRow(place, in: space)
        }
        // What the sets know nothing of is not there, and stays so.
        guard try !cells.isEmpty || hasRow(place, in: space) else { return false }
        var stored = try openRepairable(space, place.collection, row)
        guard stored.base.cells != cells else { return false }
        stored.base = CellRecord(cells: cells)
        stored.overlay.cells = stored.overlay.cells.filter { field, cell in
            cells[field].map { $0 < cell } ?? true
        }
        try rows.save(stored)
        for (field, cell) in cells {
            try chunks.wantNamed(Change(key: stored.key(field), cell: cell), in: space)
        }
        return true
    }

    private func hasRow(_ place: RowPlace, in space: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM row WHERE space = \(space) AND collection = \(place.collection.string)
                AND row = \(place.row)
            """
        ) { _ in true } ?? false
    }

    /// A name that no program wrote; its cells are nobody's.
    private func removeRow(_ place: RowPlace, in space: Int64) throws -> Bool {
        try database.run(
            """
            DELETE FROM touched WHERE row IN (
                SELECT number FROM row WHERE space = \(space)
                    AND collection = \(place.collection.string) AND row = \(place.row))
            """
        )
        return try database.run(
            """
            DELETE FROM row WHERE space = \(space) AND collection = \(place.collection.string)
                AND row = \(place.row)
            """
        ) > 0
    }

    /// A row, without the cells of its base where those cannot be read.
    private func openRepairable(
        _ space: Int64,
        _ collection: Text,
        _ row: Row
    ) throws -> StoredRow {
        do {
            return try rows.open(space, collection, row)
        } catch ReplicaError.damagedRecord {
            try database.run(
                """
                UPDATE row SET base = x''
                WHERE space = \(space) AND collection = \(collection.string)
                    AND row = \(row.encoded)
                """
            )
            return try rows.open(space, collection, row)
        }
    }
}

extension ReplicaPart {
    package var audit: Audit { Audit(context: context) }
}
