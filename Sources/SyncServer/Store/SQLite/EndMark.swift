internal import SyncCore

/// How many entries all logs had after the last commit, in a file beside the store.
///
/// SQLite drops the last transactions of a write-ahead log that is damaged or cut there, without a
/// word. Then the store has fewer entries than this file says. The file is written after each commit
/// and not synchronized: after a power failure it may be older than the store, which shows no loss.
struct EndMark {
    private let path: String
    private let fileSystem: FileSystem
    private var written: UInt64?

    init(besides store: String, on fileSystem: FileSystem) {
        path = store + ".end"
        self.fileSystem = fileSystem
    }

    /// Returns the number of entries, or nil if the file is missing, damaged or of another epoch.
    func read(in epoch: Identifier) -> UInt64? {
        guard let bytes = fileSystem.read(path), bytes.count == 24 else { return nil }
        let count = UInt64(bigEndian: Array(bytes[..<8]))
        return bytes == Self.content(count, epoch) ? count : nil
    }

    /// Writes the number of entries; errors are ignored, because the store itself is whole.
    mutating func write(_ count: UInt64, in epoch: Identifier) {
        guard count != written else { return }
        fileSystem.note(Self.content(count, epoch), path)
        written = count
    }

    /// The number, and 16 bytes by which a damaged file and that of another store are known.
    private static func content(_ count: UInt64, _ epoch: Identifier) -> [UInt8] {
        let number = count.bigEndianBytes
        return number + Digest(of: number + epoch.bytes).bytes.prefix(16)
    }
}
