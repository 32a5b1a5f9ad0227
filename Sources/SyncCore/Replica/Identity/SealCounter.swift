/// A counter in a file beside the database.
///
/// Every transaction that seals advances it. A restored database is behind its counter and takes a
/// new replica id, so that it never reuses a name. The counter is written before the commit. So a
/// crash between the two leaves it one ahead, which is no sign of a copy. If a whole folder is
/// restored, the counter matches; then the comparison of heads with the server detects the copy.
final class SealCounter {
    /// Whether the present transaction has advanced the counter.
    var isAdvanced = false
    private let path: String
    private let fileSystem: FileSystem

    init(besides database: String, on fileSystem: FileSystem) {
        path = database + ".seals"
        self.fileSystem = fileSystem
    }

    /// Returns the counter, or nil if the file is missing or malformed.
    func read() -> Int64? {
        let digits = fileSystem.read(path)?.prefix { $0 != UInt8(ascii: "\n") }
        return digits.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Writes the counter durably, over the previous one.
    ///
    /// The previous one never has more digits. So on a full disk, the file has either the old
    /// counter or the new one.
    func write(_ count: Int64) throws {
        let errno = fileSystem.write(Array("\(count)\n".utf8), path)
        guard errno == 0 else { throw ReplicaError.guardNotWritten(errno: errno) }
    }
}
