import Foundation

/// A file system of its own in memory, which is soon full.
///
/// Root alone may mount one, and not everywhere.
final class SmallDisk: Sendable {
    let path: String

    /// Whether this process may mount.
    static let isHere: Bool = {
        let probe = NSTemporaryDirectory() + "wake-disk-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: probe) }
        return (try? SmallDisk(at: probe, byteCount: 1 << 20)) != nil
    }()

    /// Mounts a disk on a new folder.
    init(at path: String, byteCount: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard unsafe mount("none", path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
            throw POSIXError(.EPERM)
        }
    }

    deinit {
        unsafe umount2(path, Int32(MNT_DETACH))
    }

    private var filling: String { path + "/filling" }

    /// Leaves room for `byteCount` bytes, in whole pages.
    func fill(leaving byteCount: Int = 0) throws {
        let file = unsafe open(filling, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(.EIO) }
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4096)
        var count = 0
        while unsafe write(file, page, page.count) == page.count { count += page.count }
        ftruncate(file, off_t(max(0, count - byteCount)))
    }

    /// Makes room again.
    func makeRoom() throws {
        try FileManager.default.removeItem(atPath: filling)
    }

    func setReadOnly(_ isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard unsafe mount("none", path, nil, flags, nil) == 0 else { throw POSIXError(.EBUSY) }
    }
}
