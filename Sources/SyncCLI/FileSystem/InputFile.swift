internal import Glibc
import SyncCore

/// A file that is read in pieces.
@safe final class InputFile {
    private static let pieceSize = 1 << 16

    private let path: String
    private let descriptor: Int32
    /// The size, or nil if the source is no regular file.
    let byteCount: Int?

    /// Opens a file; rejects devices.
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

    /// Returns the next bytes; empty at the end.
    func next() throws(FileError) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = unsafe read(descriptor, &piece, piece.count)
            if count >= 0 { return Array(piece.prefix(count)) }
            guard errno == EINTR else { throw .last(.read, path) }
        }
    }

    /// Moves the read position like `lseek`; returns a negative number on failure.
    func seek(_ offset: Int64, from whence: Int32) -> Int64 {
        Int64(lseek(descriptor, Int(offset), whence))
    }
}

extension InputFile {
    /// Returns all bytes of a file of at most 64 MiB.
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

    /// Returns the metadata that shows changes, or nil if the file does not exist.
    static func state(of path: String) -> FileState? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        // A copying program may keep the original's modification time, but ctime changes.
        let changes = [status.st_mtim, status.st_ctim].map {
            Int64($0.tv_sec) &* 1000 &+ Int64($0.tv_nsec) / 1_000_000
        }
        return FileState(
            file: UInt64(status.st_ino),
            byteCount: Int64(status.st_size),
            changed: UnixTime(milliseconds: max(changes[0], changes[1]))
        )
    }

    /// Returns the path of an open regular file, or nil if it has none.
    ///
    /// U+FFFD replaces invalid UTF-8.
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

    /// Returns whether a path is a folder or a link to one.
    static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    /// Returns whether a path is a folder and not a link.
    static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether a path is a regular file, possibly through a link.
    static func isRegular(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    /// Returns the file type bits of `st_mode`, or nil if the path does not exist.
    static func kind(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
