internal import Glibc

/// A file that reserves disk space for small writes.
///
/// When the disk is full, the file is truncated, so that a lost device can still be revoked and
/// nonces can still be recorded. Writes that grow the store fail until there is room for the
/// reserve again. Size zero means no reserve.
struct Reserve {
    private let path: String
    private let byteCount: Int64
    /// Whether the space is reserved now.
    private(set) var isHeld = false

    init(_ path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
        hold()
    }

    /// Reserves the space if it is available, and returns whether it is reserved.
    @discardableResult
    mutating func hold() -> Bool {
        if !isHeld { isHeld = byteCount == 0 || allocate() }
        return isHeld
    }

    /// Releases the space for the next write, and returns whether that write may be tried.
    ///
    /// True also if nothing is reserved, because another write may just have released the space.
    mutating func free() -> Bool {
        guard byteCount > 0 else { return false }
        if isHeld { isHeld = unsafe truncate(path, 0) != 0 }
        return !isHeld
    }

    /// Releases the space of the reserve at `path`, whichever process reserved it.
    static func release(_ path: String) { _ = unsafe truncate(path, 0) }

    /// Whether a write of usual size (1 MiB) fits on the disk beside the reserve.
    var hasRoom: Bool { availableByteCount >= Self.roomByteCount }

    private static let roomByteCount: Int64 = 1 << 20

    private func allocate() -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        let present = unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
        if present >= byteCount { return true }
        // Without room for both, the reserve would take back the space just released for a write.
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
