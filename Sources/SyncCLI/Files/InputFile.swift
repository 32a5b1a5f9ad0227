internal import Glibc
import SyncCore

/// A file that is read as a whole.
enum InputFile {
    /// More than any recording; a file beyond it is refused.
    static let byteLimit = 512 << 20

    /// The bytes of a file.
    static func bytes(of path: String) throws(FileError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(.read, path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last(.read, path) }
        let isDevice = [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT)
        guard !isDevice else { throw FileError(action: .read, path: path, code: ENODEV) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= byteLimit {
            let count = unsafe read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno != EINTR { throw .last(.read, path) }
            bytes += piece.prefix(max(count, 0))
        }
        throw FileError(action: .read, path: path, code: EFBIG)
    }

    /// When a file was last written; nil where there is none.
    static func modified(_ path: String) -> UnixTime? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return UnixTime(milliseconds: Int64(status.st_mtim.tv_sec) * 1000)
    }
}
