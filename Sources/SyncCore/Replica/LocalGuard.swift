internal import Glibc

/// A counter beside the database file that every seal advances.
///
/// A database that is put back from a copy is behind its guard and takes a new replica id before
/// it can reuse a name. The counter is written before the commit, so a crash between the two
/// leaves it one ahead, which is no sign of a copy. A whole folder that is put back brings its
/// guard along: that case is the head rule's.
struct LocalGuard {
    private let path: String

    init(besides database: String) {
        path = database + ".seals"
    }

    /// The counter, nil where there is no file or it holds something else.
    func read() -> Int64? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 24)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        let digits = buffer.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Makes `count` durable, over the one before it, which never has more digits: a full disk
    /// takes the new one or leaves the old one.
    func write(_ count: Int64) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ReplicaError.guardNotWritten(errno: errno) }
        defer { close(descriptor) }
        let line = Array("\(count)\n".utf8)
        guard unsafe Glibc.write(descriptor, line, line.count) == line.count,
            fsync(descriptor) == 0
        else { throw ReplicaError.guardNotWritten(errno: errno) }
    }
}
