internal import Glibc

/// A file that holds room on the disk back for small writes.
///
/// Where the disk is full it is emptied: then a lost device can still be revoked, and requests that
/// must not be repeated are still noted. What grows the store waits until there is room for the
/// reserve again. Size zero is for none.
struct Reserve {
    private let path: String
    private let byteCount: Int64
    /// Whether the room is held back now.
    private(set) var isHeld = false

    init(_ path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
        hold()
    }

    /// Holds the room back, if there is any.
    @discardableResult
    mutating func hold() -> Bool {
        if !isHeld { isHeld = byteCount == 0 || allocate() }
        return isHeld
    }

    /// Gives the room to whoever writes next; false where there is none to give.
    ///
    /// Where nothing is held it is true: the room may have been given a moment before.
    mutating func free() -> Bool {
        guard byteCount > 0 else { return false }
        if isHeld { isHeld = unsafe truncate(path, 0) != 0 }
        return !isHeld
    }

    /// Gives back what a reserve at `path` holds, whoever held it back.
    static func release(_ path: String) {
        _ = unsafe truncate(path, 0)
    }

    /// Whether a write of a usual size finds room beside the reserve.
    var hasRoom: Bool { availableByteCount >= Self.roomByteCount }

    private static let roomByteCount: Int64 = 1 << 20

    private func allocate() -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        let present = unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
        if present >= byteCount { return true }
        // Without room for both, the store would get what the reserve gave back a moment ago.
        guard availableByteCount + present >= byteCount + Self.roomByteCount else { return false }
        if posix_fallocate(descriptor, 0, off_t(byteCount)) == 0 { return true }
        ftruncate(descriptor, 0)
        return false
    }

    private var availableByteCount: Int64 {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return .max }
        return Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize)
    }
}
