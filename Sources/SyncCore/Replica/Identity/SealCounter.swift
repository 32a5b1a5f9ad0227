/// A counter beside the database file that every seal advances.
///
/// A database that is put back from a copy is behind its guard and takes a new replica id before
/// it can reuse a name. The counter is written before the commit, so a crash between the two
/// leaves it one ahead, which is no sign of a copy. A whole folder that is put back brings its
/// guard along: that case is the head rule's.
final class SealCounter {
    /// Whether this transaction has advanced it.
    var isAdvanced = false
    private let path: String
    private let volume: FileSystem

    init(besides database: String, on volume: FileSystem) {
        path = database + ".seals"
        self.volume = volume
    }

    /// The counter, nil where there is no file or it holds something else.
    func read() -> Int64? {
        let digits = volume.read(path)?.prefix { $0 != UInt8(ascii: "\n") }
        return digits.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Makes `count` durable, over the one before it, which never has more digits: a full disk
    /// takes the new one or leaves the old one.
    func write(_ count: Int64) throws {
        let errno = volume.write(Array("\(count)\n".utf8), path)
        guard errno == 0 else { throw ReplicaError.guardNotWritten(errno: errno) }
    }
}
