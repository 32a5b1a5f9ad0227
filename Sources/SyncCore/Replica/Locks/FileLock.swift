internal import Glibc

/// A file with byte-range locks, released when the object is deallocated.
///
/// A query takes no lock, so it never makes another process fail, as it would with flock(2). These
/// are open file description locks; see fcntl(2).
@safe package final class FileLock: Sendable {
    package let descriptor: Int32

    /// Opens the file at `path`, or creates it for this user alone.
    package init(path: String) throws(FileLockError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unavailable(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Locks a byte, which need not exist; false if another `FileLock`, in this or another process,
    /// holds it.
    package func tryLock(byte: Int = 0) throws(FileLockError) -> Bool {
        var request = Self.request(byte: byte)
        while unsafe fcntl(descriptor, Self.set, &request) != 0 {
            if errno == EAGAIN || errno == EACCES { return false }
            guard errno == EINTR else { throw .unavailable(errno: errno) }
        }
        return true
    }

    /// Whether a `FileLock`, in this or another process, holds a byte of the file at `path`.
    package static func isLocked(byte: Int = 0, at path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var request = request(byte: byte)
        guard unsafe fcntl(descriptor, query, &request) == 0 else { return false }
        return request.l_type != Int16(F_UNLCK)
    }

    private static func request(byte: Int) -> flock {
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        request.l_start = byte
        request.l_len = 1
        return request
    }

    // From linux/fcntl.h, which defines them only with _GNU_SOURCE.
    private static let query: Int32 = 36
    private static let set: Int32 = 37
}

/// Why a file cannot be locked.
package enum FileLockError: Error, Equatable {
    /// The file cannot be opened, or its file system has no locks.
    case unavailable(errno: Int32)
}
