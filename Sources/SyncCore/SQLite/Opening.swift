internal import CSQLite
internal import Glibc

/// The ways to open a SQLite file, from the normal one to those for a file that is not writable.
///
/// In WAL mode even a reader needs an index that all processes share (`-shm`).
///
/// - If the disk is full, the process takes the file for itself and keeps the index in memory.
/// - If the folder is not writable and no other process has the file open, the process reads the
///   file without locks, as one that does not change. If another process left a log, its index is
///   kept in memory.
///
/// An existing `-shm` shows that another process has the file open. A process that took the file
/// for itself has no `-shm`, but it holds a lock: the normal way comes first and fails as busy.
/// Changes that another process starts to write later are not seen, and may make a statement fail.
struct Opening {
    let path: String
    let fileSystem: FileSystem
    let wait: LockWait
    var durability = Database.Durability.full

    /// Opens the file, or creates it.
    ///
    /// A file that `isShared` is never taken for one process.
    func open(isShared: Bool) throws(DatabaseError) -> csqlite_connection {
        do {
            return try open(isAlone: false)
        } catch  where error.kind == .full && !isShared {
            return try open(isAlone: true)
        } catch  where isReadable && [.cannotOpen, .readOnly].contains(error.kind) {
            guard hasContent("-wal") else {
                return try open(uri: uri("immutable=1"), isAlone: false)
            }
            guard !hasContent("-shm") else { throw error }
            return try open(uri: uri("mode=ro"), door: "unix-none", isAlone: true)
        }
    }

    private static let configured = csqlite_count_no_memory()

    private func open(
        uri: String? = nil,
        door: String? = nil,
        isAlone: Bool
    ) throws(DatabaseError) -> csqlite_connection {
        _ = Self.configured
        var code = CSQLITE_OK
        guard let summed = csqlite_summed(door ?? fileSystem.door) else {
            throw DatabaseError(code: CSQLITE_CANTOPEN, message: "no checksums of pages", sql: nil)
        }
        let opened = csqlite_open(uri ?? path, uri != nil, unsafe String(cString: summed), &code)
        guard code == CSQLITE_OK, let opened else {
            let error = DatabaseError(code: code, on: opened, sql: nil)
            csqlite_close(opened)
            throw error
        }
        // If the log belongs to another file, closing must not write it into this one.
        csqlite_keep_log(opened, true)
        if durability == .normal { csqlite_commits_early(opened) }
        do {
            if isAlone { try Self.execute("PRAGMA locking_mode=EXCLUSIVE", on: opened) }
            try useWriteAheadLog(on: opened)
        } catch {
            csqlite_close(opened)
            throw error
        }
        csqlite_keep_log(opened, false)
        return opened
    }

    /// Sets a new file's journal mode, once in its life; another program's file stays unchanged.
    ///
    /// No busy handler is attached yet. SQLite would not call one here, because the other process
    /// holds a read lock and waits for ours.
    private func useWriteAheadLog(on handle: csqlite_connection) throws(DatabaseError) {
        var tries = 0
        while true {
            do {
                return try Self.changeJournalOfNew(handle)
            } catch  where error.kind == .busy {
                guard wait.pause(after: tries) else { throw error }
                tries += 1
            }
        }
    }

    private static func changeJournalOfNew(_ handle: csqlite_connection) throws(DatabaseError) {
        let statement = try Statement("SELECT 1 FROM sqlite_schema LIMIT 1", on: handle)
        let isNew = try !statement.step()
        statement.reset()
        guard isNew else { return }
        csqlite_reserve_sums(handle)
        try execute("PRAGMA journal_mode=WAL", on: handle)
    }

    static func execute(_ sql: String, on handle: csqlite_connection) throws(DatabaseError) {
        let code = csqlite_execute(handle, sql)
        guard code == CSQLITE_OK else { throw DatabaseError(code: code, on: handle, sql: sql) }
    }

    /// Whether the file exists, has content and is readable.
    private var isReadable: Bool {
        unsafe fileSystem.door == nil && Self.byteCount(of: path) > 0 && access(path, R_OK) == 0
    }

    /// Returns whether a file that SQLite puts beside this one has content.
    private func hasContent(_ ending: String) -> Bool {
        guard let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        // SQLite puts it beside the target of a symbolic link.
        return unsafe Self.byteCount(of: String(cString: resolved) + ending) > 0
    }

    private static func byteCount(of path: String) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return status.st_size
    }

    /// Returns the path as a URI with a parameter for SQLite (sqlite.org/uri.html).
    private func uri(_ parameter: String) -> String {
        let escaped = path.utf8.map { byte in
            "?#%".utf8.contains(byte)
                ? "%" + [byte].hexadecimal : String(decoding: [byte], as: UTF8.self)
        }
        return "file:" + escaped.joined() + "?" + parameter
    }
}
