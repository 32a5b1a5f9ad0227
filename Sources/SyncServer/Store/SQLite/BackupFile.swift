internal import SyncCore

/// A backup: everything of a store in one SQLite file, whatever the store itself is kept in.
///
/// The connection is closed with the last reference, so that the file is whole by itself.
struct BackupFile {
    private let database: Database

    /// Opens a backup, or a plain copy of a store's file.
    init(_ path: String) throws {
        database = try Database(path: path)
    }

    private var tables: SQLiteTables { SQLiteTables(database: database) }

    /// What the backup says of itself, nil for a plain copy.
    func manifest() throws -> BackupManifest? { try BackupManifest(in: database) }

    /// Makes a plain copy a backup.
    func writeManifest(at time: UnixTime) throws -> BackupManifest {
        try BackupManifest(of: database, at: time)
    }

    /// Calls `body` with the one state of everything.
    func readSnapshot<Value>(_ body: (any StoreSnapshot) throws -> Value) throws -> Value {
        try database.read { try body(SQLiteSnapshot(database: database)) }
    }

    /// Makes the backup a store of a new epoch, in which devices are revoked.
    func beginEpoch(_ epoch: Identifier, revoking devices: [Identifier]) throws {
        // Migrated, it would be a store that knows nobody.
        guard try !SQLiteStore.migrations.isEmpty(database) else { throw MigrationError.foreign }
        try SQLiteStore.migrations.migrate(database)
        try database.write {
            try BackupManifest.remove(from: database)
            try database.run("UPDATE server SET epoch = \(epoch)")
            // A position of the epoch before says nothing of this one.
            try database.run("UPDATE space SET backed_up = 0, backup_time = NULL")
            for device in devices { try tables.revoke(device) }
        }
    }

    /// Makes an empty file a store that knows nobody but who is revoked.
    func makeEmptyStore(of epoch: Identifier, revoking devices: [Identifier]) throws {
        try SQLiteStore.migrations.migrate(database)
        try database.write {
            try tables.setFirstEpoch(epoch)
            for device in devices { try tables.revoke(device) }
        }
    }

    func wantChunks(_ chunks: some Sequence<ChunkPlace>) throws {
        try database.write {
            for chunk in chunks { try tables.wantChunk(chunk.hash, in: chunk.space) }
        }
    }

    /// A backup has no write-ahead log, and a store has one.
    func useLog() throws {
        _ = try database.first("PRAGMA journal_mode=WAL") { $0.text(0) }
    }
}
