internal import SyncCore

/// Repairs one space's log: from the rest of it, or from what devices bring.
struct LogRepair {
    private let tables: SQLiteTables
    private let space: Identifier
    /// The key of this server's receipts; nil if most receipts of the log are of another key.
    private let receipts: MACKey?

    private var database: Database { tables.database }

    /// How many of the newest entries tell whose receipts the log has.
    private static let sampleCount = 64
    /// How many entries without a right link may follow each other and still be proven.
    private static let runLimit = 64

    init(of space: Identifier, in tables: SQLiteTables, receipts: MACKey) throws {
        (self.tables, self.space) = (tables, space)
        let newest = try tables.database.all(
            """
            SELECT position, replica_id, sequence, hash, verdict, receipt, chain, NULL, NULL
            FROM log WHERE space_id = \(space) ORDER BY position DESC LIMIT \(Self.sampleCount)
            """
        ) { LogRow($0) }
        let own = newest.count { $0.hasReceipt(in: space, by: receipts) }
        self.receipts = own * 2 > newest.count ? receipts : nil
    }

    /// Repairs entries as far as the rest of the log proves what they were, and deletes sets and
    /// bodies that are not those, so that devices are asked for them.
    ///
    /// Returns the positions of the entries that were changed.
    func repair(_ positions: Set<UInt64>) throws -> [UInt64] {
        // A wrong link makes the entry after it look wrong.
        let before = positions.compactMap { $0 > 1 ? $0 - 1 : nil }
        var hasNewIndexes = false
        let repaired = try positions.union(before).sorted().filter {
            try repair($0, &hasNewIndexes)
        }
        return try repaired + repairEnd()
    }

    private func repair(_ position: UInt64, _ hasNewIndexes: inout Bool) throws -> Bool {
        guard let row = try tables.logRow(at: position, in: space) else { return false }
        let repaired = try place(of: row).repaired(row) ?? row.withoutGarbage
        if repaired != row { try store(repaired, insteadOf: row, &hasNewIndexes) }
        return try deleteWrongBody(of: repaired) || repaired != row
    }

    /// Corrects the end of the log in the space's record.
    ///
    /// The end is recorded twice there: by its position and by its link. Each proves the other, if the
    /// newest entry has the link, or if the entry at the position is linked to those before it.
    private func repairEnd() throws -> [UInt64] {
        guard let end = try tables.endIfHosted(of: space), !end.isLinked else { return [] }
        let last = try database.first(
            "SELECT max(position) FROM log WHERE space_id = \(space)"
        ) { $0.unsigned(0) }
        if let last, try tables.chainHash(of: space, at: last) == end.chain {
            try database.run("UPDATE space SET head = \(last) WHERE space_id = \(space)")
            return [last]
        }
        guard last == end.head, let newest = try tables.logRow(at: end.head, in: space),
            try newest.isLinked(in: space, after: tables.link(before: end.head, in: space))
        else { return [] }
        try database.run("UPDATE space SET chain = \(newest.chain) WHERE space_id = \(space)")
        return [end.head]
    }

    private func place(of row: LogRow) throws -> LogPlace {
        LogPlace(
            space: space,
            previous: try tables.link(before: row.position, in: space),
            isPreviousLinked: try row.position == 1 || isLinked(row.position - 1),
            next: try database.all(
                """
                SELECT position, replica_id, sequence, hash, verdict, receipt, chain, NULL, NULL
                FROM log WHERE space_id = \(space) AND position > \(row.position)
                ORDER BY position LIMIT \(Self.runLimit)
                """
            ) { LogRow($0) },
            end: try tables.endIfHosted(of: space),
            receipts: receipts
        )
    }

    private func isLinked(_ position: UInt64) throws -> Bool {
        try tables.logRow(at: position, in: space)?
            .isLinked(in: space, after: tables.link(before: position, in: space)) ?? false
    }

    private func deleteWrongBody(of row: LogRow) throws -> Bool {
        guard let body = row.body, row.set?.header.isBody(body) == false else { return false }
        try database.run(
            "UPDATE log SET body = NULL WHERE space_id = \(space) AND position = \(row.position)"
        )
        return true
    }

    private func store(
        _ row: LogRow,
        insteadOf damaged: LogRow,
        _ hasNewIndexes: inout Bool
    ) throws {
        if row.hasOtherKeys(than: damaged), !hasNewIndexes {
            // The indexes may have the right columns: SQLite would not find what it is to remove.
            try database.run("REINDEX log")
            hasNewIndexes = true
        }
        try database.run(
            """
            UPDATE log SET replica_id = \(row.replica), sequence = \(row.sequence),
                hash = \(row.hash), verdict = \(row.verdict?.rawValue ?? 0),
                receipt = \(row.receipt), chain = \(row.chain), upload = \(row.upload)
            WHERE space_id = \(space) AND position = \(row.position)
            """
        )
    }
}

extension LogRepair {
    /// Returns the positions of the entries in which anything is damaged but a reason.
    func damagedEntries() throws -> Set<UInt64> {
        var (damaged, previous): (Set<UInt64>, Digest) = ([], .zero)
        try SQLiteSnapshot(database: database).eachEntry(of: space) { row in
            let set = row.set
            let isWhole = row.isLost || row.isSound(set, in: space, after: previous)
            let hasWrongBody = row.body.flatMap { set?.header.isBody($0) } == false
            let hasReceipt = receipts.map { row.hasReceipt(in: space, by: $0) } ?? true
            if !isWhole || hasWrongBody || !hasReceipt { damaged.insert(row.position) }
            previous = row.chain
        }
        if let end = try tables.endIfHosted(of: space), !end.isLinked { damaged.insert(end.head) }
        return damaged
    }

    /// Puts sets that a device brings into the places of the log that lost them, and bodies into sets
    /// without one.
    ///
    /// A link or the receipt at the place proves that a set is the lost one.
    func putBack(_ sets: [NamedSet]) throws {
        var hasNewIndexes = false
        for position in try LogGaps(tables: tables, space: space).first(SyncCore.Limits.entryLimit)
        {
            guard let row = try tables.logRow(at: position, in: space), row.isLost else { continue }
            let place = try place(of: row)
            for set in sets {
                let found = place.repaired(row.with(set.upload))
                guard let found, !found.isLost else { continue }
                try store(found, insteadOf: row, &hasNewIndexes)
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
                    AND upload IS NOT NULL AND body IS NULL AND verdict < 2
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

    func logRow(at position: UInt64, in space: Identifier) throws -> LogRow? {
        try database.first(
            """
            SELECT position, replica_id, sequence, hash, verdict, receipt, chain, upload, body
            FROM log WHERE space_id = \(space) AND position = \(position)
            """
        ) { LogRow($0) }
    }
}

extension LogRow {
    /// - Parameter row: the columns from `position` to `body`, as ``SQLiteTables`` reads them.
    init(_ row: Statement) {
        self.init(
            position: row.unsigned(0),
            replica: row.id(1),
            sequence: row.unsigned(2),
            hash: row.digest(3),
            verdict: Verdict(rawValue: row.unsigned(4)),
            // One of another length would make the entry unreadable for devices.
            receipt: row.digest(5).bytes,
            chain: row.digest(6),
            upload: row.isNull(7) ? nil : row.blob(7),
            body: row.isNull(8) ? nil : row.blob(8)
        )
    }
}
