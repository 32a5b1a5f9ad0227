internal import FoundationEssentials
internal import Glibc
internal import SyncCore

/// Replaces a server's store with a backup, or with an empty store.
///
/// A restore always begins a new epoch, so that devices detect it and bring back what the store
/// lacks. The new store is verified under a temporary name, then renamed in one step: if the
/// program is killed, either the old or the new store is in place. The old store is kept under
/// another name.
///
/// The caller holds the folder's lock.
struct Restore {
    let folder: DataFolder
    let keys: ServerKeys
    let newEpoch: Identifier
    let now: UnixTime
    var begin: @Sendable (Backup.Step) -> Void = { _ in }
    var observe: Inspection.Observer = { _, _ in }

    struct Done: Equatable {
        /// When the backup was made; nil for an empty store or a plain copy.
        let time: UnixTime?
        let spaces: [SpaceExtent]
        /// The number of chunks that the log names and the backup lacks.
        let lackingChunks: Int
        /// The path of the previous store; nil if there was none.
        let aside: String?
        /// Pages of the backup in which a flipped bit was put right.
        var correctedPages = FaultyPages()
        /// Pages of the backup that do not match their checksum.
        var damagedPages = FaultyPages()
    }

    /// The path of the new store until it is verified.
    var draft: String { folder.store + ".restoring" }

    func callAsFunction(from file: String) throws -> Done {
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        try copy(file)
        begin(.verifying)
        let (manifest, inspection, faulty) = try verifiedDraft(of: file)
        try lock.synchronize()
        let aside = try publish()
        return Done(
            time: manifest?.time,
            spaces: inspection.spaces,
            lackingChunks: inspection.lackingChunks.count,
            aside: aside,
            correctedPages: faulty?.corrected ?? FaultyPages(),
            damagedPages: faulty?.damaged ?? FaultyPages()
        )
    }

    /// Installs an empty store; only revocations are carried over.
    func empty() throws -> Done {
        let lock = try DraftFile(draft)
        defer { lock.remove() }
        try makeEmptyDraft()
        try lock.synchronize()
        return Done(time: nil, spaces: [], lackingChunks: 0, aside: try publish())
    }

    /// Copies a backup, or a store together with its write-ahead log.
    private func copy(_ file: String) throws {
        guard unsafe access(file, F_OK) == 0 else { throw BackupError.missing(path: file) }
        begin(.copying(bytes: try FileCopy.byteCount(of: file), to: draft))
        try FileCopy.copy(file, over: draft)
        guard try FileCopy.byteCount(of: file + "-wal") > 0 else { return }
        try FileCopy.copy(file + "-wal", over: draft + "-wal")
    }

    /// Turns the copy into a store of a new epoch and verifies it.
    ///
    /// The connection is closed on return.
    private func verifiedDraft(of file: String) throws -> Verified {
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

    private typealias Verified = (
        manifest: BackupManifest?, inspection: Inspection,
        faulty: (corrected: FaultyPages, damaged: FaultyPages)?
    )

    private func verified(_ copy: BackupFile, of file: String) throws -> Verified {
        let manifest = try copy.manifest()
        let faulty = try copy.readSnapshot { try $0.faultyPages() }
        try copy.beginEpoch(newEpoch, revoking: try folder.revocations)
        let inspection = try copy.readSnapshot {
            try Inspection(of: $0, keys: keys, observe: observe)
        }
        guard inspection.findings.isEmpty, manifest?.agrees(with: inspection) != false else {
            throw BackupError.unsound(path: file, inspection.findings)
        }
        try copy.wantChunks(inspection.lackingChunks)
        try copy.useLog()
        return (manifest, inspection, faulty)
    }

    private func makeEmptyDraft() throws {
        let store = try BackupFile(draft)
        try store.makeEmptyStore(of: newEpoch, revoking: try folder.revocations)
        try store.useLog()
    }
}

extension Restore {
    /// Renames the draft to the store's path; returns the path of the previous store.
    private func publish() throws -> String? {
        // Closing the last connection checkpoints the log, unless the disk is full.
        guard try FileCopy.byteCount(of: draft + "-wal") == 0 else {
            throw BackupError.notCopied(path: draft, .full)
        }
        let aside = try keepAside()
        guard unsafe rename(draft, folder.store) == 0 else {
            throw DataFolderError.notWritable(path: folder.store, code: errno)
        }
        try DataFolder.synchronizeFolder(of: folder.store)
        try removeViews()
        return aside
    }

    /// Gives the present store a second name and returns it, or nil if there is no store.
    ///
    /// The store's write-ahead log is first merged into its file: SQLite would apply a log left
    /// beside the new store to that store. A damaged store keeps its log, which is renamed with it.
    private func keepAside() throws -> String? {
        let stamp = now.iso8601.replacing(":", with: "")
        let aside = "\(folder.store).before-restore-\(stamp)"
        let isSettled = try settle()
        if !isSettled { try moveCompanions(to: aside) }
        guard try FileCopy.byteCount(of: folder.store) > 0 else { return isSettled ? nil : aside }
        guard unsafe link(folder.store, aside) != 0 else { return aside }
        guard errno != EEXIST else { throw DataFolderError.notWritable(path: aside, code: EEXIST) }
        // Without hard links the store's own name is missing for a moment, until the draft takes
        // it.
        guard unsafe rename(folder.store, aside) == 0 else {
            throw DataFolderError.notWritable(path: aside, code: errno)
        }
        return aside
    }

    /// Checkpoints the present store; returns false if it is damaged or its file is missing.
    private func settle() throws -> Bool {
        guard try FileCopy.byteCount(of: folder.store) > 0 else {
            return try ["-wal", "-end"].allSatisfy {
                try FileCopy.byteCount(of: folder.store + $0) == 0
            }
        }
        do {
            let store = try Database(path: folder.store, isShared: true)
            // Fails while another program has the file open.
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

    /// Removes the views: those of another epoch would be rebuilt anyway.
    private func removeViews() throws {
        let manager = FileManager.default
        for file in try manager.contentsOfDirectory(atPath: folder.views) {
            try manager.removeItem(atPath: folder.views + "/" + file)
        }
    }
}

extension Findings {
    /// Creates the findings for one fault of the file itself.
    init(_ text: String) {
        self.init()
        note(.structure, text)
    }
}
