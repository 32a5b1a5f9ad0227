internal import SyncCore

/// The description of a backup, in tables of its own.
struct BackupManifest: Equatable, Sendable {
    /// The epoch of the store that was backed up.
    let epoch: Identifier
    /// When the backup was made, by the server's wall clock.
    let time: UnixTime
    /// The end of each space's log, ascending by id.
    let spaces: [SpaceExtent]

    /// The version of these tables.
    private static let format: Int64 = 1

    /// Reads the tables, or returns nil if the file has none.
    init?(in database: Database) throws {
        let isThere = try database.first(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup'"
        ) { _ in true }
        guard isThere == true else { return nil }
        let row = try database.first("SELECT format, epoch, time FROM backup") {
            ($0.integer(0), $0.id(1), $0.integer(2))
        }
        guard let (format, epoch, time) = row, format == Self.format else {
            throw UnknownBackupFormat(format: row?.0 ?? 0)
        }
        self.epoch = epoch
        self.time = UnixTime(milliseconds: time)
        spaces = try database.all(
            "SELECT space_id, head, chain FROM backup_space ORDER BY space_id"
        ) { SpaceExtent(space: $0.id(0), head: $0.unsigned(1), chain: $0.digest(2)) }
    }

    /// Creates the tables in a copy and fills them.
    init(of database: Database, at time: UnixTime) throws {
        let epoch = try SQLiteTables(database: database).epoch() ?? .zero
        try database.write {
            try Self.remove(from: database)
            try database.execute(
                """
                CREATE TABLE backup (
                    one INTEGER PRIMARY KEY CHECK (one = 1), format INTEGER NOT NULL,
                    epoch BLOB NOT NULL, time INTEGER NOT NULL) STRICT;
                CREATE TABLE backup_space (
                    space_id BLOB PRIMARY KEY, head INTEGER NOT NULL,
                    chain BLOB NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO backup_space SELECT space_id, head, chain FROM space;
                """
            )
            try database.run(
                """
                INSERT INTO backup (one, format, epoch, time)
                VALUES (1, \(Self.format), \(epoch), \(time.milliseconds))
                """
            )
        }
        guard let manifest = try BackupManifest(in: database) else {
            throw UnknownBackupFormat(format: 0)
        }
        self = manifest
    }

    /// Drops the tables, so that the file is an ordinary store.
    static func remove(from database: Database) throws {
        try database.execute("DROP TABLE IF EXISTS backup; DROP TABLE IF EXISTS backup_space")
    }
}

/// A newer program version made the backup.
struct UnknownBackupFormat: Error {
    let format: Int64
}
