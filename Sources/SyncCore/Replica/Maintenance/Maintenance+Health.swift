extension Maintenance {
    /// Returns up to 20 faults of SQLite's `integrity_check`; empty if the file is sound.
    package func integrityFaults() throws -> [String] {
        let faults = try database.all("SELECT integrity_check FROM pragma_integrity_check(20)") {
            $0.text(0)
        }
        .filter { $0 != "ok" }
        if !faults.isEmpty { database.distrust() }
        return faults
    }

    /// Whether the pages of the database have checksums.
    package var hasChecksums: Bool { database.hasChecksums }

    /// Reads every page; returns words about those with more wrong bits than could be put right, also if
    /// something else has written them since, or nil if there are none.
    package func pageFault() throws -> String? {
        try database.scanPages()
        let pages = database.damagedPages
        guard pages.isEmpty else { return "the checksum of \(pages.words) does not match" }
        let earlier = try events.damagedPages()
        guard !earlier.isEmpty else { return nil }
        return "the checksum of \(earlier.words) did not match, and no repair has run since"
    }

    /// Returns the size of the database in bytes.
    package func byteCount() throws -> Int64 { try database.byteCount() }
}

/// The relation of the seal counter beside the database to the counter inside it.
package enum SealCounterState: Hashable, Sendable {
    case together
    /// The counter beside the database is missing, although something was sealed.
    case missing
    /// The database is older than the counter: it was restored from a copy.
    ///
    /// It takes a new replica id before it seals again.
    case behind
    /// The counter belongs to another or older database.
    case ahead
}

extension Maintenance {
    /// Compares the counter beside the database with the counter inside, without writing.
    package func guardState() throws -> SealCounterState {
        let seals = try database.first("SELECT seals FROM self") { $0.integer(0) } ?? 0
        guard let beside = context.localGuard?.read() else {
            return seals == 0 ? .together : .missing
        }
        // A crash between the two writes leaves the counter beside the database one step ahead.
        if beside > seals + 1 { return .behind }
        return beside < seals ? .ahead : .together
    }
}

/// How much of a space the server's last verified backup contains.
package struct BackupCoverage: Hashable, Sendable {
    package let space: Identifier
    /// The backup's time by the server's clock, or nil if the server has reported none.
    package let time: UnixTime?
    /// Own sets that are in no verified backup, whether sent or not.
    package let missing: Int
}

extension Maintenance {
    /// Returns for each space how much of this device's data is in a verified backup.
    package func backups() throws -> [BackupCoverage] {
        try database.all(
            """
            SELECT p.id, p.backup_time, (SELECT count(*) FROM sealed q WHERE q.space = p.number
                AND q.own = 1 AND q.reissued = 0 AND coalesce(q.verdict, 0) = 0
                AND (q.position IS NULL OR q.position > p.backed_up))
            FROM space p ORDER BY p.number
            """
        ) {
            BackupCoverage(
                space: $0.id(0),
                time: $0.isNull(1) ? nil : UnixTime(milliseconds: $0.integer(1)),
                missing: Int($0.integer(2))
            )
        }
    }
}
