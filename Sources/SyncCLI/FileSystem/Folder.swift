internal import Glibc

enum Folder {
    /// Creates a folder and its missing parents, accessible to the owner only.
    static func make(_ path: String) throws(FileError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .last(.make, path)
        }
        try make(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last(.make, path) }
    }
}

extension Folder {
    /// Returns the error if the folder exists but this user may not enter it, otherwise nil.
    static func denial(of path: String) -> FileError? {
        unsafe access(path + "/.", X_OK) != 0 && errno == EACCES ? .last(.read, path) : nil
    }

    /// The contents of a folder and its subfolders.
    struct Contents {
        /// The paths of the files, sorted.
        var files: [String] = []
        /// The errors of folders and names that cannot be read.
        var unreadable: [FileError] = []

        /// The files with the metadata that shows changes.
        var states: [String: FileState] {
            files.reduce(into: [:]) { $0[$1] = InputFile.state(of: $1) }
        }
    }

    /// Lists a folder recursively; `list` reads each folder.
    ///
    /// Skips hidden files, pipes and devices, and does not follow links to folders.
    static func contents(
        of path: String,
        list: (String) throws(FileError) -> [String] = names
    ) -> Contents {
        var contents = Contents()
        var folders = [path]
        while let folder = folders.popLast() {
            do throws(FileError) {
                for name in try list(folder) where !name.hasPrefix(".") {
                    let path = folder + "/" + name
                    if InputFile.isOwnFolder(path) {
                        folders.append(path)
                    } else if InputFile.isRegular(path) {
                        contents.files.append(path)
                    } else if name.contains("\u{FFFD}") {
                        // Decoding replaced invalid UTF-8, so no file has this name.
                        contents.unreadable.append(.unnameable(path))
                    }
                }
            } catch {
                contents.unreadable.append(error)
            }
        }
        contents.files.sort()
        contents.unreadable.sort { $0.path < $1.path }
        return contents
    }

    /// Returns the names in a folder, in no particular order.
    static func names(in path: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .last(.read, path) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            names.append(name)
            errno = 0
        }
        guard errno == 0 else { throw .last(.read, path) }
        return names
    }
}
