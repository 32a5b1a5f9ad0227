internal import CSQLite
internal import Glibc

/// The ways into a SQLite file, from the usual one to those that are left when nothing can be
/// written.
///
/// In WAL mode even a reader makes an index that all processes share (`-shm`). Where the disk has no
/// room for it, a process takes the file for itself and keeps the index in memory. Where the folder
/// cannot be written and nobody has the file open, it is read as one that does not change: without
/// locks, and with an index in memory of the log that somebody left behind.
///
/// Who has the file open shows in the index, and who took it for itself, and so has none, in its lock:
/// the usual way is tried first, and that lock makes it fail as busy. What another process begins to
/// write after that is not seen, and may make a statement fail.
struct Opening {
    let path: String
    let volume: FileSystem
    let wait: LockWait

    /// Opens the file, or creates it; `isShared` where it is never taken for one process.
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
        let opened = csqlite_open(uri ?? path, uri != nil, door ?? volume.door, &code)
        guard code == CSQLITE_OK, let opened else {
            let error = DatabaseError(code: code, on: opened, sql: nil)
            csqlite_close(opened)
            throw error
        }
        // A log that is another file's must not be written into this one by looking at it.
        csqlite_keep_log(opened, true)
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

    /// Changes a new file's journal, once in its life; the file of another program stays as it is.
    ///
    /// No busy handler is attached yet, and SQLite would not call it here: the other process holds a
    /// read lock and waits for ours.
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
        if isNew { try execute("PRAGMA journal_mode=WAL", on: handle) }
    }

    private static func execute(_ sql: String, on handle: csqlite_connection) throws(DatabaseError)
    {
        let code = csqlite_execute(handle, sql)
        guard code == CSQLITE_OK else {
            throw DatabaseError(code: code, on: handle, sql: sql)
        }
    }
}

extension Opening {
    /// Whether there is a file with content that may be read.
    private var isReadable: Bool {
        unsafe volume.door == nil && Self.byteCount(of: path) > 0 && access(path, R_OK) == 0
    }

    /// Whether there is something in a file that SQLite puts beside this one.
    private func hasContent(_ ending: String) -> Bool {
        guard let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        // It lies beside the file itself, wherever a link to it lies.
        return unsafe Self.byteCount(of: String(cString: resolved) + ending) > 0
    }

    private static func byteCount(of path: String) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return status.st_size
    }

    /// The name of the file with what SQLite should know of it (sqlite.org/uri.html).
    private func uri(_ parameter: String) -> String {
        let escaped = path.utf8.map { byte in
            "?#%".utf8.contains(byte)
                ? "%" + [byte].hexadecimal : String(decoding: [byte], as: UTF8.self)
        }
        return "file:" + escaped.joined() + "?" + parameter
    }
}
