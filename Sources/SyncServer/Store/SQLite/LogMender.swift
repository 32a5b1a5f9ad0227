internal import SyncCore

/// Puts right what was damaged in one space's log, from the rest of it or from what devices bring.
struct LogMender {
    let tables: SQLiteTables
    let space: Identifier
    /// The key of this server's receipts.
    let receipts: MACKey

    private var database: Database { tables.database }

    /// Returns the positions of the entries in which anything is damaged but a reason.
    ///
    /// Receipts count only if some are of this key: else it is the key that is wrong.
    func damagedEntries() throws -> Set<UInt64> {
        var (damaged, withoutReceipt): (Set<UInt64>, Set<UInt64>) = ([], [])
        var (previous, hasReceipts) = (Digest.zero, false)
        try SQLiteSnapshot(database: database).eachEntry(of: space) { row in
            let set = row.set
            if !row.isLost,
                !row.isSound(set, in: space, after: previous)
                    || row.body.flatMap({ set?.header.isBody($0) }) == false
            {
                damaged.insert(row.position)
            }
            if row.hasReceipt(in: space, by: receipts) {
                hasReceipts = true
            } else {
                withoutReceipt.insert(row.position)
            }
            previous = row.chain
        }
        return hasReceipts ? damaged.union(withoutReceipt) : damaged
    }

    /// Puts entries right as far as the rest of the log proves what they were, and drops damaged sets
    /// and bodies, so that devices are asked for them.
    ///
    /// Returns the positions of the entries that were changed.
    func mend(_ positions: Set<UInt64>) throws -> [UInt64] {
        // A wrong link makes the entry after it look wrong.
        let before = positions.compactMap { $0 > 1 ? $0 - 1 : nil }
        return try positions.union(before).sorted().filter(mend)
    }

    private func mend(_ position: UInt64) throws -> Bool {
        guard let row = try logRow(at: position) else { return false }
        let mended = try mended(row) ?? row.lost
        if mended != row { try store(mended, insteadOf: row) }
        return try dropWrongBody(of: mended) || mended != row
    }

    private func mended(_ row: LogRow) throws -> LogRow? {
        let previous = try tables.link(before: row.position, in: space)
        return try row.mended(in: space, after: previous, by: receipts) {
            try isNext($0, after: row.position)
        }
    }

    /// Whether the log goes on from a link: the next entry, or its recorded end.
    private func isNext(_ link: Digest, after position: UInt64) throws -> Bool {
        guard let next = try logRow(at: position + 1) else {
            return try tables.endIfHosted(of: space)?.chain == link
        }
        return next.isLinked(in: space, after: link)
    }

    private func dropWrongBody(of row: LogRow) throws -> Bool {
        guard let held = row.isAdoption ? try adopted(by: row) : row,
            let body = held.body, held.set?.header.isBody(body) == false
        else { return false }
        try database.run(
            "UPDATE log SET body = NULL WHERE space_id = \(space) AND position = \(held.position)"
        )
        return true
    }

    private func adopted(by row: LogRow) throws -> LogRow? {
        try database.first(
            """
            SELECT position FROM log WHERE space_id = \(space) AND replica_id = \(row.replica)
                AND sequence = \(row.sequence) AND hash = \(row.hash) AND admin IS NULL
            """
        ) { $0.unsigned(0) }
        .flatMap(logRow)
    }

    private func logRow(at position: UInt64) throws -> LogRow? {
        try database.first(
            """
            SELECT position, replica_id, sequence, hash, verdict, receipt, chain, upload, body,
                admin FROM log WHERE space_id = \(space) AND position = \(position)
            """
        ) { LogRow($0) }
    }

    private func store(_ row: LogRow, insteadOf damaged: LogRow) throws {
        // The indexes may have the right columns: SQLite would not find what it is to remove.
        if row.isElsewhere(than: damaged) { try database.run("REINDEX log") }
        try database.run(
            """
            UPDATE log SET replica_id = \(row.replica), sequence = \(row.sequence),
                hash = \(row.hash), verdict = \(row.verdict?.rawValue ?? 0),
                receipt = \(row.receipt), chain = \(row.chain), upload = \(row.upload),
                admin = \(row.admin)
            WHERE space_id = \(space) AND position = \(row.position)
            """
        )
    }

    /// Puts sets that a device brings into the places of the log that lost them.
    ///
    /// The link at the place, or the receipt there, proves that a set is the lost one.
    func putBack(_ sets: [NamedSet]) throws {
        for position in try tables.gaps(in: space, limit: SyncCore.Limits.entryLimit) {
            guard let row = try logRow(at: position), row.isLost else { continue }
            for set in sets {
                let found = try mended(row.with(set.upload))
                guard let found, !found.isLost else { continue }
                try store(found, insteadOf: row)
                break
            }
        }
        for set in sets {
            guard let body = set.body else { continue }
            let name = set.upload.name
            try database.run(
                """
                UPDATE log SET body = \(body)
                WHERE space_id = \(space) AND replica_id = \(name.replica)
                    AND sequence = \(name.sequence) AND hash = \(name.hash)
                    AND admin IS NULL AND upload IS NOT NULL AND body IS NULL AND verdict = 0
                """
            )
        }
    }
}

extension SQLiteTables {
    /// The link before a position; zero before the first entry.
    func link(before position: UInt64, in space: Identifier) throws -> Digest {
        guard position > 1 else { return .zero }
        return try chainHash(of: space, at: position - 1) ?? .zero
    }

    /// Returns the first positions of sets that are lost, and of accepted sets without a body.
    func gaps(in space: Identifier, limit: Int) throws -> [UInt64] {
        try database.all(
            """
            SELECT position FROM log WHERE space_id = \(space) AND admin IS NULL
                AND (upload IS NULL OR (body IS NULL AND verdict = 0))
            ORDER BY position LIMIT \(limit)
            """
        ) { $0.unsigned(0) }
    }
}

extension LogRow {
    /// - Parameter row: the columns from `position` to `admin`, as ``SQLiteTables`` reads them.
    init(_ row: Statement) {
        self.init(
            position: row.unsigned(0),
            replica: row.id(1),
            sequence: row.unsigned(2),
            hash: row.digest(3),
            verdict: Verdict(rawValue: row.unsigned(4)),
            receipt: row.blob(5),
            chain: row.digest(6),
            upload: row.isNull(7) ? nil : row.blob(7),
            body: row.isNull(8) ? nil : row.blob(8),
            admin: row.isNull(9) ? nil : row.id(9)
        )
    }
}
