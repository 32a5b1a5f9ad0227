internal import Glibc

/// Says that this process records into a data folder; ends with the process.
///
/// Only one process records into a folder. Other processes read here which track it records.
@safe package final class RecorderLock {
    private let file: FileLock

    /// The bytes of the file that are locked: who records, and who writes the ends of recordings.
    private static let recorder = 0
    private static let packer = 1

    /// Becomes the recorder of the folder; waits while another process packs what an earlier
    /// recorder left, as in ``packing(in:_:)``.
    ///
    /// Errors: ``RecorderLockError`` if another process records, ``FileLockError``.
    package init(folder: String) throws {
        file = try FileLock(path: Self.path(in: folder))
        guard try file.take(Self.recorder) else { throw RecorderLockError.taken }
        _ = try file.take(Self.packer, waits: true)
    }

    /// Runs `body`, which packs what an earlier recorder left, unless another process records or
    /// packs into the folder.
    package static func packing(
        in folder: String,
        _ body: () async throws -> Void
    ) async throws {
        let file = try FileLock(path: path(in: folder))
        guard try file.take(packer) else { return }
        try await body()
        withExtendedLifetime(file) {}
    }

    /// Notes which track is recorded, for other processes; the one before is forgotten.
    package func note(_ track: Identifier?) {
        let text = Array((track?.description ?? "").utf8)
        guard ftruncate(file.descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(file.descriptor, text, text.count, 0)
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

    /// Whether a process records into the folder at this moment.
    package static func isTaken(in folder: String) -> Bool {
        FileLock.isTaken(recorder, at: path(in: folder))
    }

    private static func path(in folder: String) -> String { folder + "/recorder.lock" }
}

/// Why a process may not record.
package enum RecorderLockError: Error, Equatable {
    /// Another process records.
    case taken
}
