internal import FoundationEssentials
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

    /// The files in a folder and in those below it, by name; nil where it cannot be read.
    ///
    /// Hidden ones, pipes and devices are left out.
    static func files(below path: String) -> [String]? {
        (try? FileManager.default.subpathsOfDirectory(atPath: path))?
            .filter { name in !name.split(separator: "/").contains { $0.hasPrefix(".") } }
            .map { path + "/" + $0 }
            .filter(InputFile.isRegular)
            .sorted()
    }

    /// The same files with what a change of them shows.
    static func states(below path: String) -> [String: QuietFiles.State]? {
        files(below: path).map { files in
            files.reduce(into: [:]) { $0[$1] = InputFile.state(of: $1) }
        }
    }
}
