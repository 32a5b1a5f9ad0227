internal import Glibc

/// The file system of a folder.
enum Disk {
    /// Returns the free bytes that this user may still write.
    static func freeByteCount(of folder: String) throws(FileError) -> Int64 {
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { throw .last(.read, folder) }
        return Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize)
    }
}
