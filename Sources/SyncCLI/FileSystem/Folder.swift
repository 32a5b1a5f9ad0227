internal import Glibc

/// A folder of the file system.
enum Folder {
    /// Makes a folder, and those above it that are missing, for its owner only.
    static func make(_ path: String) throws(FileError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/")
            guard !parent.isEmpty, parent != path else { throw .last(.make, path) }
            try make(parent)
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw .last(.make, path)
            }
        default: throw .last(.make, path)
        }
    }
}

extension Folder {
    /// The error where a folder is there and this user may not look into it; nil where that is not so.
    static func denial(of path: String) -> FileError? {
        unsafe access(path + "/.", X_OK) != 0 && errno == EACCES ? .last(.read, path) : nil
    }

    /// What is in a folder and in those below it.
    struct Contents {
        /// The files, by name.
        var files: [String] = []
        /// Why folders cannot be read: this one, or some of those below it.
        var unreadable: [FileError] = []

        /// The same files with what a change of them shows.
        var states: [String: FileState] {
            files.reduce(into: [:]) { $0[$1] = InputFile.state(of: $1) }
        }
    }

    /// Looks into a folder and those below it, each of which `list` reads.
    ///
    /// Hidden ones, pipes and devices are left out, and no link to a folder is followed.
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
                        // Repaired, so it is the name of no file that can be opened.
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

    /// The names in a folder.
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
