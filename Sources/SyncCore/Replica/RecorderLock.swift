internal import Glibc

/// The right to record into a data folder, held by one process at a time.
///
/// The system takes it back when the process ends, however it ends.
@safe package final class RecorderLock {
    private let descriptor: Int32

    /// Takes the lock of the folder; ``RecorderLockError/taken`` where another process holds it.
    package init(folder: String) throws(RecorderLockError) {
        descriptor = unsafe open(Self.path(in: folder), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(errno: errno) }
        // Who only asks, as in ``isTaken(in:)``, holds the lock for a moment.
        for _ in 0..<Self.tryLimit {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK else { break }
            usleep(Self.pauseMicroseconds)
        }
        let code = errno
        close(descriptor)
        throw code == EWOULDBLOCK ? .taken : .cannotOpen(errno: code)
    }

    private static let tryLimit = 5
    private static let pauseMicroseconds: UInt32 = 5000

    /// Notes which track is recorded, for other processes; the one before is forgotten.
    package func note(_ track: Identifier?) {
        let text = Array((track?.description ?? "").utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }

    /// The track that a process records into the folder at this moment; nil before its first
    /// sample, and where nothing is recorded.
    package static func track(in folder: String) -> Identifier? {
        let descriptor = unsafe open(path(in: folder), O_RDONLY | O_CLOEXEC)
        guard isTaken(in: folder), descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 26)
        let count = unsafe pread(descriptor, &text, text.count, 0)
        return count == text.count ? Identifier(String(decoding: text, as: UTF8.self)) : nil
    }

    deinit {
        close(descriptor)
    }

    /// Whether a process records into the folder at this moment.
    package static func isTaken(in folder: String) -> Bool {
        let descriptor = unsafe open(path(in: folder), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func path(in folder: String) -> String { folder + "/recorder.lock" }
}

/// Why a process may not record.
package enum RecorderLockError: Error, Equatable {
    /// Another process records.
    case taken
    /// The file of the lock cannot be opened.
    case cannotOpen(errno: Int32)
}
