internal import CArchive
import SyncCore

/// A streaming archive reader; nothing is written to disk.
///
/// Limits against decompression bombs, whatever the archive claims: 1 GiB per entry, 32 GiB in
/// total, 100,000 entries, and 250 times the compressed bytes. Recordings compress ten to fifty
/// times, a bomb about a thousand times.
final class Archive {
    /// The archive format, detected by its first bytes.
    enum Kind {
        case zip
        /// A single compressed file.
        case gzip

        init?(head: [UInt8]) {
            switch head {
            case _ where head.starts(with: [0x50, 0x4b, 3, 4]): self = .zip
            // The end record of an archive without entries.
            case _ where head.starts(with: [0x50, 0x4b, 5, 6]): self = .zip
            case _ where head.starts(with: [0x1f, 0x8b, 8]): self = .gzip
            default: return nil
            }
        }

        static let headSize = 4
    }

    /// A file of an archive.
    struct Entry {
        /// The path within the archive.
        let path: String
        let isEncrypted: Bool
    }

    private let source: ByteSource
    private lazy var reader = makeReader()
    private let kind: Kind
    private var failure: (any Error)?
    private var entryCount = 0
    private var entryByteCount = 0
    private var byteCount = 0
    private var readByteCount = 0
    private var readBeforeEntry = 0

    private static let pieceSize = 1 << 16
    private static let entryLimit = 100_000
    private static let entryByteLimit = 1 << 30
    private static let byteLimit = 32 << 30
    private static let ratioLimit = 250
    /// An allowance that the ratio limit does not apply to.
    private static let harmlessByteCount = 16 << 20

    init(_ kind: Kind, _ source: ByteSource) throws {
        self.kind = kind
        self.source = source
        guard carchive_open(reader) else { throw error }
    }

    private func makeReader() -> carchive_reader {
        let reader = unsafe carchive_new(
            kind == .zip,
            Unmanaged.passUnretained(self).toOpaque(),
            { unsafe Archive.from($0).fill() },
            source.seek == nil ? nil : { unsafe Archive.from($0).seek($1, $2) }
        )
        guard let reader else { preconditionFailure("libarchive has memory") }
        return reader
    }

    /// Returns the next file, or nil at the end.
    ///
    /// Skips folders, links and hidden files, including the metadata files of macOS.
    func nextEntry() throws -> Entry? {
        while true {
            switch carchive_next(reader) {
            case .done: break
            case .ended: return nil
            case .failed: throw error
            }
            entryCount += 1
            guard entryCount <= Self.entryLimit else { throw ArchiveError.tooManyEntries }
            (entryByteCount, readBeforeEntry) = (0, readByteCount)
            let told = unsafe carchive_path(reader).map { unsafe String(cString: $0) }
            let path = told ?? "entry \(entryCount)"
            guard carchive_is_file(reader), !path.hasSuffix("/"), !Self.isHidden(path) else {
                continue
            }
            return Entry(path: path, isEncrypted: carchive_is_encrypted(reader))
        }
    }

    /// Returns the next bytes of the current file; empty at its end.
    func next() throws -> [UInt8] {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, used in
            count = unsafe carchive_read(reader, room.baseAddress, room.count)
            used = max(count, 0)
        }
        guard count >= 0 else { throw error }
        entryByteCount += count
        byteCount += count
        let read = readByteCount - readBeforeEntry
        guard entryByteCount <= Self.entryByteLimit, byteCount <= Self.byteLimit,
            entryByteCount <= Self.harmlessByteCount + Self.ratioLimit * read,
            source.byteCount.map({ byteCount <= allowance(of: $0) }) ?? true
        else { throw ArchiveError.tooLarge }
        return bytes
    }

    /// Returns the limit for all entries of an archive of `size` bytes.
    ///
    /// Overlapping entries unpack the same bytes repeatedly, so the limit per entry is not enough.
    private func allowance(of size: Int) -> Int {
        4 * Self.harmlessByteCount + Self.ratioLimit * min(size, Self.byteLimit)
    }

    private static func isHidden(_ path: String) -> Bool {
        path.split(separator: "/").contains { part in
            // No file is created under these names, so ".." is harmless.
            part != "." && part != ".." && (part.hasPrefix(".") || part == "__MACOSX")
        }
    }

    private var error: any Error {
        if let failure { return failure }
        let words = unsafe carchive_reason(reader).map { unsafe String(cString: $0) }
        return ArchiveError.damaged(words ?? "it cannot be read")
    }
}

/// Callbacks of libarchive.
extension Archive {
    private static func from(_ context: UnsafeMutableRawPointer) -> Archive {
        unsafe Unmanaged<Archive>.fromOpaque(context).takeUnretainedValue()
    }

    private func fill() -> Bool {
        do {
            let bytes = try source.next()
            readByteCount += bytes.count
            return unsafe carchive_give(reader, bytes, bytes.count)
        } catch {
            failure = error
            return false
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        source.seek?(offset, whence) ?? -1
    }
}

/// The reasons why an archive or one of its files cannot be read.
enum ArchiveError: Error, Equatable {
    /// Damaged, in libarchive's words.
    case damaged(String)
    /// Encrypted with a password.
    case encrypted
    /// Too large, or compressed too well to be a recording.
    case tooLarge
    case tooManyEntries
    /// An archive within an archive.
    case nested

    /// Whether data read before the error can still be used.
    var leavesWhatCameBefore: Bool {
        if case .damaged = self { true } else { false }
    }
}
