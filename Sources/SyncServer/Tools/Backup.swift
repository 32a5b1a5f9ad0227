internal import Glibc
internal import SyncCore

/// Makes a copy of a store that nobody needs to stop for, and looks whether it is good.
///
/// The copy grows beside its place under another name, is read as a whole, and gets its name last.
/// Only then is the store told how far each space is in a verified backup: devices forget nothing
/// before that.
struct Backup {
    let folder: DataFolder
    let keys: ServerKeys
    /// Where the copy is to be.
    let file: String
    let now: UnixTime
    /// Told which part of the work begins.
    var begin: (Step) -> Void = { _ in }
    var observe: Inspection.Observer = { _, _ in }

    /// A part of the work that takes long.
    enum Step: Equatable, Sendable {
        /// So many bytes are copied into a file.
        case copying(bytes: Int64, to: String)
        /// The copy is read and recomputed.
        case verifying
    }

    /// What was made.
    struct Made {
        let manifest: BackupManifest
        let inspection: Inspection
    }

    /// The copy while it is made.
    var draft: String { file + ".draft" }

    func callAsFunction() throws -> Made {
        try refuseExisting()
        let store = try Database(path: folder.store, isShared: true)
        try SQLiteStore.migrations.migrate(store)
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        begin(.copying(bytes: try store.byteCount(), to: draft))
        try copy(store)
        begin(.verifying)
        let made = try verifiedDraft()
        try lock.synchronize()
        try publish()
        try tell(store, made)
        return made
    }

    private func refuseExisting() throws(BackupError) {
        guard unsafe access(file, F_OK) != 0 else { throw .exists(path: file) }
    }

    /// Copies the store into the draft.
    ///
    /// A store with a damaged page may name one beyond any limit, and SQLite calls that a full
    /// disk. Whether it is the store is looked at only when there is no copy, for it takes long.
    private func copy(_ store: Database) throws {
        do {
            try store.run("VACUUM INTO $1", .text(draft))
        } catch let error as DatabaseError where error.kind != .corrupt {
            try store.quickCheck()
            throw BackupError.notCopied(path: draft, error)
        }
    }

    /// The connection is closed when this returns, so that the file is whole by itself.
    private func verifiedDraft() throws -> Made {
        let copy = try Database(path: draft)
        let manifest = try BackupManifest(of: copy, at: now)
        let inspection = try Inspection(of: copy, keys: keys, observe: observe)
        guard inspection.findings.isEmpty, manifest.agrees(with: inspection) else {
            throw BackupError.unsound(path: folder.store, inspection.findings)
        }
        return Made(manifest: manifest, inspection: inspection)
    }

    /// Gives the draft its name, which nobody took meanwhile.
    private func publish() throws {
        if unsafe link(draft, file) != 0 {
            guard errno != EEXIST else { throw BackupError.exists(path: file) }
            // Some file systems have no links.
            try refuseExisting()
            guard unsafe rename(draft, file) == 0 else {
                throw DataFolderError.notWritable(path: file, code: errno)
            }
        }
        try synchronizeFolder(of: file)
    }

    /// Notes how far each space is in the copy, unless the store became another one meanwhile.
    private func tell(_ store: Database, _ made: Made) throws {
        try store.write {
            let epoch = try store.first("SELECT epoch FROM server") { $0.id(0) }
            guard epoch == made.manifest.epoch else { return }
            for extent in made.inspection.spaces {
                try store.run(
                    "UPDATE space SET backed_up = $2, backup_time = $3 WHERE space_id = $1",
                    .id(extent.space),
                    .unsigned(extent.whole ?? 0),
                    .integer(now.milliseconds)
                )
            }
        }
    }
}

/// Why there is no backup, or none that can be used.
enum BackupError: Error, Equatable {
    /// A file of that name is there, and is not written over.
    case exists(path: String)
    /// There is no such file.
    case missing(path: String)
    /// Another program makes a backup of that name.
    case beingMade(path: String)
    /// SQLite could not write the copy.
    case notCopied(path: String, DatabaseError)
    /// What was recomputed is not what is stored.
    case unsound(path: String, Findings)
    /// A newer program made the backup.
    case unknownFormat(Int64)
    /// A database that is no backup, or one of a newer program.
    case notRestorable(path: String, MigrationError)
    /// Another program has the store open.
    case storeInUse(path: String)
}
