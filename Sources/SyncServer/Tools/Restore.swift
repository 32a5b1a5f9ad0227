internal import FoundationEssentials
internal import Glibc
internal import SyncCore

/// Puts a backup in the place of a server's store, or an empty store where there is no backup.
///
/// It is always a new epoch, so that devices notice and bring back what is not there. What is made
/// is verified under another name, and the name of the store goes over to it in one step: whenever
/// the program is killed, there is the old store or the new one. The old one is kept aside.
///
/// Who calls it holds the folder's lock.
struct Restore {
    let folder: DataFolder
    let keys: ServerKeys
    let newEpoch: Identifier
    let now: UnixTime
    /// Told which part of the work begins.
    var begin: @Sendable (Backup.Step) -> Void = { _ in }
    var observe: Inspection.Observer = { _, _ in }

    /// What was done.
    struct Done: Equatable {
        /// When the backup was made; nil for an empty store and for a plain copy of one.
        let time: UnixTime?
        let spaces: [SpaceExtent]
        /// Chunks that the log names and the backup did not have.
        let lackingChunks: Int
        /// Where the store is that was here before; nil where there was none.
        let aside: String?
    }

    /// The new store until it has its name.
    var draft: String { folder.store + ".restoring" }

    /// Puts the backup at `file` in place.
    func callAsFunction(from file: String) throws -> Done {
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        try copy(file)
        begin(.verifying)
        let (manifest, inspection) = try verifiedDraft(of: file)
        try lock.synchronize()
        let aside = try publish()
        return Done(
            time: manifest?.time,
            spaces: inspection.spaces,
            lackingChunks: inspection.lackingChunks.count,
            aside: aside
        )
    }

    /// Puts a store in place that knows nobody.
    func empty() throws -> Done {
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        try makeEmptyDraft()
        try lock.synchronize()
        return Done(time: nil, spaces: [], lackingChunks: 0, aside: try publish())
    }

    /// Copies a backup, or a store with the log that lies beside it.
    private func copy(_ file: String) throws {
        guard unsafe access(file, F_OK) == 0 else { throw BackupError.missing(path: file) }
        begin(.copying(bytes: try FileCopy.byteCount(of: file), to: draft))
        try FileCopy.copy(file, over: draft)
        guard try FileCopy.byteCount(of: file + "-wal") > 0 else { return }
        try FileCopy.copy(file + "-wal", over: draft + "-wal")
    }

    /// Makes the copy the store of a new epoch and looks whether it is good; closed when this
    /// returns.
    private func verifiedDraft(of file: String) throws -> (BackupManifest?, Inspection) {
        guard try FileCopy.byteCount(of: draft) > 0 else {
            throw BackupError.unsound(path: file, Findings("the file is empty"))
        }
        do {
            return try verified(try BackupFile(draft), of: file)
        } catch let error as DatabaseError where error.kind == .corrupt {
            throw BackupError.unsound(path: file, Findings(error.message))
        } catch let error as MigrationError {
            throw BackupError.notRestorable(path: file, error)
        } catch let error as UnknownBackupFormat {
            throw BackupError.unknownFormat(error.format)
        }
    }

    private func verified(
        _ copy: BackupFile,
        of file: String
    ) throws -> (BackupManifest?, Inspection) {
        let manifest = try copy.manifest()
        try copy.beginEpoch(newEpoch, revoking: try folder.revocations)
        let inspection = try copy.readSnapshot {
            try Inspection(of: $0, keys: keys, observe: observe)
        }
        guard inspection.findings.isEmpty, manifest?.agrees(with: inspection) != false else {
            throw BackupError.unsound(path: file, inspection.findings)
        }
        try copy.wantChunks(inspection.lackingChunks)
        try copy.useLog()
        return (manifest, inspection)
    }

    private func makeEmptyDraft() throws {
        let store = try BackupFile(draft)
        try store.makeEmptyStore(of: newEpoch, revoking: try folder.revocations)
        try store.useLog()
    }
}

extension Restore {
    /// Gives the draft the store's name; the path where the present store is from now on.
    private func publish() throws -> String? {
        // The last connection that was closed brought the log into the file, or could not.
        guard try FileCopy.byteCount(of: draft + "-wal") == 0 else {
            throw BackupError.notCopied(path: draft, .full)
        }
        let aside = try keepAside()
        guard unsafe rename(draft, folder.store) == 0 else {
            throw DataFolderError.notWritable(path: folder.store, code: errno)
        }
        try synchronizeFolder(of: folder.store)
        try removeViews()
        return aside
    }

    /// Gives the present store a second name.
    ///
    /// What is in its log alone is brought into the file first: a log beside a new store would be
    /// read as that one's. One that is damaged keeps its log, under the second name too.
    private func keepAside() throws -> String? {
        let stamp = now.iso8601.replacing(":", with: "")
        let aside = "\(folder.store).before-restore-\(stamp)"
        let isSettled = try settle()
        if !isSettled { try moveCompanions(to: aside) }
        guard try FileCopy.byteCount(of: folder.store) > 0 else { return isSettled ? nil : aside }
        guard unsafe link(folder.store, aside) != 0 else { return aside }
        guard errno != EEXIST else {
            throw DataFolderError.notWritable(path: aside, code: EEXIST)
        }
        // Where a file system has no links, there is a moment with the two other names alone.
        guard unsafe rename(folder.store, aside) == 0 else {
            throw DataFolderError.notWritable(path: aside, code: errno)
        }
        return aside
    }

    /// Brings the present store into its one file; false where it is damaged or its file is lost.
    private func settle() throws -> Bool {
        guard try FileCopy.byteCount(of: folder.store) > 0 else {
            return try FileCopy.byteCount(of: folder.store + "-wal") == 0
        }
        do {
            let store = try Database(path: folder.store, isShared: true)
            // Nobody gets this while another program has the file open.
            _ = try store.first("PRAGMA journal_mode=DELETE") { $0.text(0) }
            _ = try store.first("PRAGMA journal_mode=WAL") { $0.text(0) }
            return true
        } catch let error as DatabaseError where error.kind == .busy {
            throw BackupError.storeInUse(path: folder.store)
        } catch let error as DatabaseError where error.kind == .corrupt {
            return false
        }
    }

    private func moveCompanions(to aside: String) throws {
        for suffix in DraftFile.companions where unsafe access(folder.store + suffix, F_OK) == 0 {
            guard unsafe rename(folder.store + suffix, aside + suffix) == 0 else {
                throw DataFolderError.notWritable(path: aside + suffix, code: errno)
            }
        }
    }

    /// Views of another epoch are made anew by themselves; here they only take room.
    private func removeViews() throws {
        let manager = FileManager.default
        for file in try manager.contentsOfDirectory(atPath: folder.views) {
            try manager.removeItem(atPath: folder.views + "/" + file)
        }
    }
}

extension Findings {
    /// One fault of the file itself.
    init(_ text: String) {
        self.init()
        note(.structure, text)
    }
}
