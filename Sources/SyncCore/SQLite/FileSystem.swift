internal import Glibc

/// Where files are: on the system's disks, or on one that a test makes and breaks.
///
/// SQLite accesses the file system through a VFS of its own; the rest is what lies beside its
/// files.
package struct FileSystem: Sendable {
    /// The name of SQLite's door (sqlite.org/vfs.html); nil for the system's.
    let door: String?
    /// Whether there is a file.
    let contains: @Sendable (_ path: String) -> Bool
    /// Makes an empty file that only its owner can read, where there is none.
    let makePrivate: @Sendable (_ path: String) -> Void
    /// The first bytes of a small file, nil where it cannot be read.
    let read: @Sendable (_ path: String) -> [UInt8]?
    /// Writes from the start of a small file and makes that durable; an errno, 0 where it did.
    let write: @Sendable (_ bytes: [UInt8], _ path: String) -> Int32
    /// Removes a file, or leaves one that cannot be removed.
    package let remove: @Sendable (_ path: String) -> Void
    /// Runs what waits for this disk; nil for a queue of each actor's own.
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
    /// The system's disks.
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
            guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
                fsync(descriptor) == 0
            else { return errno }
            return 0
        }
    }
}
