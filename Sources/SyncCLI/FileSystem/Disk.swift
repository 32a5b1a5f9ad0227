internal import Glibc

/// The disk that a folder lies on.
enum Disk {
    /// Bytes that may still be written.
    static func freeByteCount(of folder: String) throws(FileError) -> Int64 {
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { throw .last(.read, folder) }
        return Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize)
    }
}
