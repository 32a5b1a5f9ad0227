internal import Glibc

/// Number, size and time of change of a database file when it was closed.
///
/// While they are the same, nothing has written to the file since, and it is not read as a whole at the next
/// opening. A file that was copied, restored or cut differs. Damage that changes neither size nor time is left to
/// ``Replica/verify()``. The mark stands beside the file and is not made durable: without it the file is checked.
struct CheckMark {
    private let database: String

    /// The mark of a file on the system's disks; nil on others.
    init?(of database: String, on volume: FileSystem) {
        guard volume.door == nil else { return nil }
        self.database = database
    }

    private var path: String { database + ".checked" }

    /// Whether the file is as it was then.
    var isCurrent: Bool {
        guard let fileState, let mark = FileSystem.system.read(path) else { return false }
        return mark == fileState
    }

    /// Has the file checked at its next opening.
    func remove() { FileSystem.system.remove(path) }

    /// Notes what the file is like now.
    func set() {
        guard let fileState, FileSystem.system.read(path) != fileState else { return }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = unsafe Glibc.write(descriptor, fileState, fileState.count)
    }

    /// The file's number, size and time of change, 24 bytes; nil where there is none.
    private var fileState: [UInt8]? {
        var status = stat()
        guard unsafe stat(database, &status) == 0 else { return nil }
        let nanoseconds =
            Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        return [UInt64(status.st_ino), UInt64(status.st_size), UInt64(bitPattern: nanoseconds)]
            .flatMap(\.bigEndianBytes)
    }
}
