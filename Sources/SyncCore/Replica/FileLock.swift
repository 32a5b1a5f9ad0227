internal import Glibc

/// A file that processes lock parts of; its locks end with it, or with the process.
///
/// Asking whether a part is locked takes nothing, so a question never keeps another process from
/// the lock, as it would with flock(2). These are open file description locks; see fcntl(2).
@safe package final class FileLock: Sendable {
    package let descriptor: Int32

    /// Opens the file at `path`, or makes it for this user alone.
    ///
    /// Throws the `errno` of open(2) as ``FileLockError/cannotOpen(errno:)``.
    package init(path: String) throws(FileLockError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Locks the byte at `part`, which need not exist; false if another process holds it.
    ///
    /// With `waits` it returns once no other process holds the byte.
    package func take(_ part: Int = 0, waits: Bool = false) throws(FileLockError) -> Bool {
        var request = Self.request(for: part)
        while unsafe fcntl(descriptor, waits ? Self.setAndWait : Self.set, &request) != 0 {
            if errno == EAGAIN || errno == EACCES { return false }
            guard errno == EINTR else { throw .cannotOpen(errno: errno) }
        }
        return true
    }

    /// Whether a process holds the byte at `part` of the file at `path`.
    package static func isTaken(_ part: Int = 0, at path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var request = request(for: part)
        guard unsafe fcntl(descriptor, query, &request) == 0 else { return false }
        return request.l_type != Int16(F_UNLCK)
    }

    private static func request(for part: Int) -> flock {
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        request.l_start = part
        request.l_len = 1
        return request
    }

    // Of linux/fcntl.h, which names them for _GNU_SOURCE only.
    private static let query: Int32 = 36
    private static let set: Int32 = 37
    private static let setAndWait: Int32 = 38
}

/// Why a file cannot be locked.
package enum FileLockError: Error, Equatable {
    /// The file cannot be opened, or its file system has no locks.
    case cannotOpen(errno: Int32)
}
