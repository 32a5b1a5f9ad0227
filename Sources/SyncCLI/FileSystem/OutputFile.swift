internal import Glibc
import ProgramKit

/// A file that is written atomically: under a temporary name, renamed when it is complete.
///
/// Deinitialising an unfinished file deletes it.
@safe final class OutputFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private var isFinished = false
    private(set) var byteCount = 0

    /// Creates the temporary file; throws if the target exists, unless `replaces`.
    init(_ path: String, mode: UInt32 = 0o666, replaces: Bool) throws(FileError) {
        guard replaces || !Self.isTaken(path) else {
            throw FileError(action: .write, path: path, code: EEXIST)
        }
        if Self.isSpecial(path) { throw FileError(action: .write, path: path, code: ENODEV) }
        // The name may exist: in containers different programs have the same process id, and a
        // killed program leaves its file. It is not reused: another program may be writing it.
        var name = "\(path).\(getpid()).part"
        var descriptor = Self.make(name, mode)
        var count = 1
        while descriptor < 0, errno == EEXIST {
            count += 1
            name = "\(path).\(getpid())-\(count).part"
            descriptor = Self.make(name, mode)
        }
        guard descriptor >= 0 else { throw .last(.write, path) }
        (self.path, temporary, self.descriptor) = (path, name, descriptor)
    }

    private static func make(_ path: String, _ mode: UInt32) -> Int32 {
        unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    }

    /// Returns whether a path is a device, pipe or socket, which a rename would replace.
    private static func isSpecial(_ path: String) -> Bool {
        InputFile.kind(of: path).map { ![S_IFREG, S_IFDIR].contains($0) } ?? false
    }

    /// Returns whether a path exists.
    static func isTaken(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    func write(_ bytes: [UInt8]) throws(FileError) {
        let code = Console.send(bytes, to: descriptor)
        guard code == 0 else { throw FileError(action: .write, path: path, code: code) }
        byteCount += bytes.count
    }

    /// Syncs the file to disk, renames it to its final name, and makes the name durable.
    func finish() throws(FileError) {
        guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
            throw .last(.write, path)
        }
        isFinished = true
        let code = FolderSync.synchronize(folderOf: path)
        guard code == 0 else { throw FileError(action: .write, path: path, code: code) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unsafe unlink(temporary) }
    }
}
