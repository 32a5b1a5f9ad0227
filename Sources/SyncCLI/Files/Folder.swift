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
