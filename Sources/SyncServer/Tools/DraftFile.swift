internal import Glibc
internal import SyncCore

/// A file under a name that is not its last, for one program at a time.
///
/// One that a killed program left behind is emptied and used again.
struct DraftFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolderError.notWritable(path: path, code: errno) }
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

    /// What SQLite has beside a file.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Makes what was written durable.
    func synchronize() throws {
        guard fsync(descriptor) == 0 else {
            throw DataFolderError.notWritable(path: path, code: errno)
        }
    }

    /// Removes the name, if it is still there, and lets the next program have it.
    func remove() {
        Self.remove(path)
        close(descriptor)
    }

    /// Removes a draft with what lies beside it.
    static func remove(_ path: String) {
        for suffix in [""] + companions { _ = unsafe unlink(path + suffix) }
    }
}

/// Makes the names in the folder of a file durable.
func synchronizeFolder(of file: String) throws {
    let end = file.lastIndex(of: "/")
    let path = end.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw DataFolderError.notWritable(path: path, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw DataFolderError.notWritable(path: path, code: errno) }
}
