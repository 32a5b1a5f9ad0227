internal import SyncCore

/// A backup: a whole store in one SQLite file, whatever kind of store it was made from.
///
/// The connection is closed with the last reference; the file is then complete by itself.
struct BackupFile {
    private let database: Database

    /// Opens a backup, or a plain copy of a store's file.
    init(_ path: String) throws { database = try Database(path: path) }

    private var tables: SQLiteTables { SQLiteTables(database: database) }

    /// Returns the backup's manifest, or nil for a plain copy.
    func manifest() throws -> BackupManifest? { try BackupManifest(in: database) }

    /// Turns a plain copy into a backup.
    func writeManifest(at time: UnixTime) throws -> BackupManifest {
        try BackupManifest(of: database, at: time)
    }

    /// Calls `body` in one read transaction.
    func readSnapshot<Value>(_ body: (any StoreSnapshot) throws -> Value) throws -> Value {
        try database.read { try body(SQLiteSnapshot(database: database)) }
    }

    /// Turns the backup into a store of a new epoch, and revokes devices in it.
    func beginEpoch(_ epoch: Identifier, revoking devices: [Identifier]) throws {
        // Migrating an empty file would produce a store without any accounts.
        guard try !SQLiteStore.migrations.isEmpty(database) else { throw MigrationError.foreign }
        try SQLiteStore.migrations.migrate(database)
        try database.write {
            try BackupManifest.remove(from: database)
            try tables.beginEpoch(epoch)
            for device in devices { try tables.revoke(device) }
        }
    }

    /// Turns an empty file into a store with no data but revocations.
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

    /// A store uses a write-ahead log; a backup does not.
    func useLog() throws {
        _ = try database.first("PRAGMA journal_mode=WAL") { $0.text(0) }
    }
}
