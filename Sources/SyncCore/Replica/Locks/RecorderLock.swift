internal import Glibc

/// An exclusive lock: only one process at a time records into a data folder.
///
/// It is released with the object or the process. Its file tells other processes which track is
/// being recorded.
@safe package final class RecorderLock {
    private let file: FileLock

    // The locked bytes: one byte for the recorder, one for packing interrupted recordings.
    private static let recorder = 0
    static let packer = 1

    /// Locks the folder for recording.
    ///
    /// Waits while another process packs an interrupted recording. Before each further attempt it
    /// calls `pause` with the number of pauses so far; an error from `pause` ends the wait. Throws
    /// ``RecorderLockError`` if another process records, or ``FileLockError``.
    package init(folder: String, pause: (_ pauses: Int) async throws -> Void) async throws {
        file = try FileLock(path: Self.path(in: folder))
        guard try file.tryLock(byte: Self.recorder) else { throw RecorderLockError.taken }
        var pauses = 0
        while try !file.tryLock(byte: Self.packer) {
            try await pause(pauses)
            pauses += 1
        }
    }

    /// Runs `body`, which packs interrupted recordings, unless another process records or packs.
    package static func packing(in folder: String, _ body: () async throws -> Void) async throws {
        let file = try FileLock(path: path(in: folder))
        guard try file.tryLock(byte: packer) else { return }
        try await body()
        withExtendedLifetime(file) {}
    }

    /// Writes the id of the recorded track to the lock file, in place of the previous one.
    package func note(_ track: Identifier?) {
        let text = Array((track?.description ?? "").utf8)
        guard ftruncate(file.descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(file.descriptor, text, text.count, 0)
    }

    /// Returns the track that a process is recording into the folder.
    ///
    /// Returns nil if no process records, or before the first sample.
    package static func track(in folder: String) -> Identifier? {
        let descriptor = unsafe open(path(in: folder), O_RDONLY | O_CLOEXEC)
        guard isTaken(in: folder), descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 26)
        let count = unsafe pread(descriptor, &text, text.count, 0)
        return count == text.count ? Identifier(String(decoding: text, as: UTF8.self)) : nil
    }

    /// Returns whether a process is recording into the folder.
    package static func isTaken(in folder: String) -> Bool {
        FileLock.isLocked(byte: recorder, at: path(in: folder))
    }

    static func path(in folder: String) -> String { folder + "/recorder.lock" }
}

package enum RecorderLockError: Error, Equatable {
    case taken
}
