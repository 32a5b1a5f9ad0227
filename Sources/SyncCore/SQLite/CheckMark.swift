internal import Glibc

/// The inode, size and modification time of a database file when it was closed.
///
/// While they are unchanged, the file is not checked at the next opening: nothing has written to it
/// since. A copied, restored or truncated file differs. Damage that changes neither size nor time
/// is left to ``Maintenance/verify()``. The mark is a file beside the database and is not durable:
/// without it the database is checked.
struct CheckMark {
    private let database: String

    /// Creates the mark of a file, or nil if the file system is not the system's.
    init?(of database: String, on fileSystem: FileSystem) {
        guard fileSystem.door == nil else { return nil }
        self.database = database
    }

    private var path: String { database + ".checked" }

    /// Whether the file is unchanged since the mark was set.
    var isCurrent: Bool {
        guard let fileState, let mark = FileSystem.system.read(path) else { return false }
        return mark == fileState
    }

    /// Removes the mark, so that the file is checked at its next opening.
    func remove() { FileSystem.system.remove(path) }

    /// Stores the present state of the file.
    func set() {
        guard let fileState, FileSystem.system.read(path) != fileState else { return }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = unsafe Glibc.write(descriptor, fileState, fileState.count)
    }

    /// The inode, size and modification time, 24 bytes, or nil if there is no file.
    private var fileState: [UInt8]? {
        var status = stat()
        guard unsafe stat(database, &status) == 0 else { return nil }
        let nanoseconds =
            Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        return [UInt64(status.st_ino), UInt64(status.st_size), UInt64(bitPattern: nanoseconds)]
            .flatMap(\.bigEndianBytes)
    }
}
