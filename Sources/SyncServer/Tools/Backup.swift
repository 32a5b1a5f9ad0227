internal import Glibc
internal import SyncCore

/// Copies a store while the server runs, and verifies the copy.
///
/// The copy is written beside its final path, read and verified as a whole, and renamed last. Only
/// then does the store record up to where each space is in a verified backup. Devices keep what
/// they could bring back until then.
struct Backup {
    let folder: DataFolder
    let keys: ServerKeys
    let file: String
    let now: UnixTime
    var begin: @Sendable (Step) -> Void = { _ in }
    var observe: Inspection.Observer = { _, _ in }
    var warn: (String) -> Void = { _ in }

    enum Step: Equatable, Sendable {
        /// Copies this many bytes to a file.
        case copying(bytes: Int64, to: String)
        /// Reads and verifies the copy.
        case verifying
    }

    struct Made {
        let manifest: BackupManifest
        let inspection: Inspection
        /// Pages of the store that do not match their checksum; the copy has what is on them.
        var damagedPages = FaultyPages()
    }

    /// The path of the copy until it is verified.
    var draft: String { file + ".draft" }

    func callAsFunction() async throws -> Made {
        try refuseExisting()
        let store = try folder.openExistingStore(
            receipts: keys.receiptSecret,
            migrates: true,
            warn: warn
        )
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        begin(.copying(bytes: try await store.statistics().byteCount, to: draft))
        let damaged = try await store.readSnapshot { try $0.faultyPages()?.damaged }
        try await copy(store)
        begin(.verifying)
        var made = try verifiedDraft()
        made.damagedPages = damaged ?? FaultyPages()
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

    /// Verifies the copy; the connection is closed on return, so that the file is complete.
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

    /// Renames the draft to its final path, unless another file has taken that path.
    private func publish() throws {
        if unsafe link(draft, file) != 0 {
            guard errno != EEXIST else { throw BackupError.exists(path: file) }
            // Some file systems have no hard links.
            try refuseExisting()
            guard unsafe rename(draft, file) == 0 else {
                throw DataFolderError.notWritable(path: file, code: errno)
            }
        }
        try DataFolder.synchronizeFolder(of: file)
    }
}

extension BackupManifest {
    /// Whether an inspection found the log ends that the manifest states.
    func agrees(with inspection: Inspection) -> Bool {
        func ends(_ spaces: [SpaceExtent]) -> [SpaceExtent] {
            spaces.map { SpaceExtent(space: $0.space, head: $0.head, chain: $0.chain) }
        }
        return ends(spaces) == ends(inspection.spaces)
    }
}

/// A backup that cannot be made or restored.
enum BackupError: Error, Equatable {
    case exists(path: String)
    case missing(path: String)
    /// Another program is writing a backup to this path.
    case beingMade(path: String)
    /// The path of the draft is taken by a link or by a file that no backup left behind.
    case notOurs(path: String)
    case notCopied(path: String, DatabaseError)
    /// The verification found faults.
    case unsound(path: String, Findings)
    /// A newer program made the backup.
    case unknownFormat(Int64)
    /// The database is not a backup, or a newer program version wrote it.
    case notRestorable(path: String, MigrationError)
    /// Another program has the store open.
    case storeInUse(path: String)
}
