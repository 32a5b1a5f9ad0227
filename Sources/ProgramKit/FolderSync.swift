internal import Glibc

/// Makes the names in a folder durable.
package enum FolderSync {
    /// Syncs the folder of a file to disk, so that a rename of the file survives a power cut.
    ///
    /// Returns 0, or an errno.
    package static func synchronize(folderOf file: String) -> Int32 {
        let end = file.lastIndex(of: "/")
        let path = end.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that one may only write into cannot be opened; the file is there all the same.
        guard folder >= 0 else { return errno == EACCES ? 0 : errno }
        defer { close(folder) }
        // Some file systems cannot sync a folder and say EINVAL; SQLite ignores that, too.
        guard fsync(folder) != 0, errno != EINVAL else { return 0 }
        return errno
    }
}
