internal import Glibc

/// The file system: the system's, or a simulated one that a test makes fail.
///
/// SQLite uses it through a VFS. The functions here are for the files beside SQLite's.
package struct FileSystem: Sendable {
    /// The name of SQLite's VFS (sqlite.org/vfs.html), or nil for the default one.
    let door: String?
    let contains: @Sendable (_ path: String) -> Bool
    /// Creates an empty file that only its owner can read, if there is none.
    let makePrivate: @Sendable (_ path: String) -> Void
    /// Returns the first bytes of a small file, or nil if it is unreadable.
    let read: @Sendable (_ path: String) -> [UInt8]?
    /// Writes durably over the start of a small file; returns 0 or an errno.
    let write: @Sendable (_ bytes: [UInt8], _ path: String) -> Int32
    /// Removes a file; errors are ignored.
    package let remove: @Sendable (_ path: String) -> Void
    /// Runs blocking work for this file system, or nil if each actor has its own queue.
    package let perform: QueueExecutor.Perform?

    package init(
        door: String,
        contains: @escaping @Sendable (_ path: String) -> Bool,
        read: @escaping @Sendable (_ path: String) -> [UInt8]?,
        write: @escaping @Sendable (_ bytes: [UInt8], _ path: String) -> Int32,
        remove: @escaping @Sendable (_ path: String) -> Void,
        perform: @escaping QueueExecutor.Perform
    ) {
        self.door = door
        self.contains = contains
        makePrivate = { _ in }
        self.read = read
        self.write = write
        self.remove = remove
        self.perform = perform
    }
}

extension FileSystem {
    package static let system = FileSystem()

    private init() {
        door = nil
        perform = nil
        contains = { unsafe access($0, F_OK) == 0 }
        remove = { _ = unsafe unlink($0) }
        makePrivate = { path in
            let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
        read = { path in
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var buffer = [UInt8](repeating: 0, count: 24)
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            return Array(buffer.prefix(max(count, 0)))
        }
        write = { bytes, path in
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return errno }
            defer { close(descriptor) }
            let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
            // A short write has no error of its own.
            guard count < 0 || count == bytes.count else { return ENOSPC }
            return count < 0 || fsync(descriptor) != 0 ? errno : 0
        }
    }
}
