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
    var begin: @Sendable (Step) -> Void = { _ in }
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

    func callAsFunction() async throws -> Made {
        try refuseExisting()
        let store = try folder.openExistingStore(receipts: keys.receiptSecret, migrates: true)
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        begin(.copying(bytes: try await store.statistics().byteCount, to: draft))
        try await copy(store)
        begin(.verifying)
        let made = try verifiedDraft()
        try lock.synchronize()
        try publish()
        let (spaces, epoch) = (made.inspection.spaces, made.manifest.epoch)
        try await store.noteBackup(of: spaces, epoch: epoch, at: now)
        return made
    }

    private func refuseExisting() throws(BackupError) {
        guard unsafe access(file, F_OK) != 0 else { throw .exists(path: file) }
    }

    private func copy(_ store: any Store) async throws {
        do {
            try await store.copy(to: draft)
        } catch let error as CopyError {
            throw BackupError.notCopied(path: draft, error.reason)
        }
    }

    /// The connection is closed when this returns, so that the file is whole by itself.
    private func verifiedDraft() throws -> Made {
        let copy = try BackupFile(draft)
        let manifest = try copy.writeManifest(at: now)
        let inspection = try copy.readSnapshot {
            try Inspection(of: $0, keys: keys, observe: observe)
        }
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
}

extension BackupManifest {
    /// Whether an inspection found the logs as they are told here.
    func agrees(with inspection: Inspection) -> Bool {
        func ends(_ spaces: [SpaceExtent]) -> [SpaceExtent] {
            spaces.map { SpaceExtent(space: $0.space, head: $0.head, chain: $0.chain) }
        }
        return ends(spaces) == ends(inspection.spaces)
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
