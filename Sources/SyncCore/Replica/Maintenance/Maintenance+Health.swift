extension Maintenance {
    /// What SQLite finds when it compares the whole file with itself; empty when it is sound.
    package func integrityFaults() throws -> [String] {
        let faults = try database.all("SELECT integrity_check FROM pragma_integrity_check(20)") {
            $0.text(0)
        }
        .filter { $0 != "ok" }
        if !faults.isEmpty { database.distrust() }
        return faults
    }

    /// How many bytes the file has.
    package func byteCount() throws -> Int64 {
        try database.byteCount()
    }
}

/// How the counter beside the database stands to the one inside.
package enum SealCounterState: Hashable, Sendable {
    /// They belong together.
    case together
    /// There is none, although something was sealed.
    case missing
    /// The database is behind: it was put back from a copy, and takes a new replica id before
    /// it seals again.
    case behind
    /// The counter is another, older database's.
    case ahead
}

extension Maintenance {
    /// Compares the counter beside the database with the one inside; nothing is written.
    package func guardState() throws -> SealCounterState {
        let seals = try database.first("SELECT seals FROM self") { $0.integer(0) } ?? 0
        guard let beside = context.localGuard?.read() else {
            return seals == 0 ? .together : .missing
        }
        // A crash between the two leaves the one beside a step ahead.
        if beside > seals + 1 { return .behind }
        return beside < seals ? .ahead : .together
    }
}

/// How far a space is in the server's last verified backup.
package struct BackupCoverage: Hashable, Sendable {
    /// The space.
    package let space: Identifier
    /// When the backup was made, by the server's clock; nil where the server told of none.
    package let time: UnixTime?
    /// Own sets that are in no verified backup, sent or not.
    package let missing: Int
}

extension Maintenance {
    /// For each space, what of this device's writing is in a verified backup.
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
