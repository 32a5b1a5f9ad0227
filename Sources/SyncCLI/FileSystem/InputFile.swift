internal import Glibc
import SyncCore

/// A file that is read piece by piece.
@safe final class InputFile {
    private static let pieceSize = 1 << 16

    private let path: String
    private let descriptor: Int32
    /// How many bytes it has; nil for what is made while it is read.
    let byteCount: Int?

    /// Opens a file; a device is refused.
    init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(.read, path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = FileError.last(.read, path)
            close(descriptor)
            throw error
        }
        let kind = status.st_mode & S_IFMT
        guard ![S_IFCHR, S_IFBLK].contains(kind) else {
            close(descriptor)
            throw FileError(action: .read, path: path, code: ENODEV)
        }
        byteCount = kind == S_IFREG ? Int(status.st_size) : nil
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes; none at the end.
    func next() throws(FileError) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = unsafe read(descriptor, &piece, piece.count)
            if count >= 0 { return Array(piece.prefix(count)) }
            guard errno == EINTR else { throw .last(.read, path) }
        }
    }

    /// Goes on reading elsewhere, as `lseek` does; negative where that is no place.
    func seek(_ offset: Int64, from whence: Int32) -> Int64 {
        Int64(lseek(descriptor, Int(offset), whence))
    }
}

extension InputFile {
    /// All bytes of a small file.
    static func bytes(of path: String) throws(FileError) -> [UInt8] {
        let file = try InputFile(path)
        var bytes: [UInt8] = []
        while bytes.count <= smallLimit {
            let piece = try file.next()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        throw FileError(action: .read, path: path, code: EFBIG)
    }

    private static let smallLimit = 64 << 20

    /// By what a change of a file shows; nil where there is none.
    static func state(of path: String) -> FileState? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        // A copy may give a file the time of its original while it writes it, or at its end.
        let changes = [status.st_mtim, status.st_ctim].map {
            Int64($0.tv_sec) &* 1000 &+ Int64($0.tv_nsec) / 1_000_000
        }
        return FileState(
            file: UInt64(status.st_ino),
            byteCount: Int64(status.st_size),
            changed: UnixTime(milliseconds: max(changes[0], changes[1]))
        )
    }

    /// Whether there is anything at a path.
    static func isThere(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0
    }

    /// The path of an open file, with U+FFFD for what is not UTF-8; nil where it is no file with a name.
    static func path(of descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink > 0
        else { return nil }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/fd/\(descriptor)", &path, path.count)
        guard count > 0 else { return nil }
        return String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether there is a folder of that name.
    static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    /// Whether there is a folder of that name, and not a link to one.
    static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is a file of that name, and no pipe or device.
    static func isRegular(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
