internal import Glibc
internal import ProgramKit

/// Copies files byte by byte.
enum FileCopy {
    /// Returns the size of a file in bytes, or 0 if it does not exist.
    static func byteCount(of path: String) throws(DataFolderError) -> Int64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .notReadable(path: path, code: errno) }
            return 0
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .notReadable(path: path, code: EISDIR)
        }
        return Int64(status.st_size)
    }

    /// Copies a file over another one, which is created with mode 600 if it does not exist.
    static func copy(_ source: String, over target: String) throws(DataFolderError) {
        let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw .notReadable(path: source, code: errno) }
        defer { close(input) }
        let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .notWritable(path: target, code: errno) }
        defer { close(output) }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe read(input, &piece, piece.count)
            guard count >= 0 else { throw .notReadable(path: source, code: errno) }
            guard count > 0 else { break }
            let code = Console.send(Array(piece.prefix(count)), to: output)
            guard code == 0 else { throw .notWritable(path: target, code: code) }
        }
        guard fsync(output) == 0 else { throw .notWritable(path: target, code: errno) }
    }
}
