internal import Glibc
internal import SyncCore

/// An unfinished file under a temporary name, locked by one program at a time.
///
/// A draft that a killed program left behind is emptied and reused. Any other file of that name, a
/// link included, is left alone: the folder of a backup may belong to others, too.
struct DraftFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == ELOOP { throw BackupError.notOurs(path: path) }
            throw DataFolderError.notWritable(path: path, code: errno)
        }
        guard Self.isOurs(descriptor) else {
            close(descriptor)
            throw BackupError.notOurs(path: path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw BackupError.beingMade(path: path)
        }
        for suffix in Self.companions { _ = unsafe unlink(path + suffix) }
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else {
            let code = errno
            remove()
            throw DataFolderError.notWritable(path: path, code: code)
        }
    }

    /// Whether an open file is a draft: one's own, under no other name, and empty or a database.
    private static func isOurs(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_nlink == 1
        else { return false }
        let magic = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: magic.count)
        let count = unsafe pread(descriptor, &start, start.count, 0)
        return count == 0 || start == magic
    }

    /// The suffixes of the files that are kept beside a database: SQLite's, and the mark of the log's end.
    static let companions = ["-wal", "-shm", "-journal", "-end"]

    func synchronize() throws {
        guard fsync(descriptor) == 0 else {
            throw DataFolderError.notWritable(path: path, code: errno)
        }
    }

    /// Removes the file, if it still has this name, and releases the lock.
    func remove() {
        Self.remove(path)
        close(descriptor)
    }

    /// Removes a draft and the files beside it.
    static func remove(_ path: String) {
        for suffix in [""] + companions { _ = unsafe unlink(path + suffix) }
    }
}
