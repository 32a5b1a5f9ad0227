internal import CArchive
import SyncCore

/// An archive that is read entry by entry as its bytes come; nothing is written to disk.
///
/// Whatever an archive claims, of one entry come at most 1 GiB, of all 32 GiB, never more than
/// 250 times what was read of the archive, and of at most 100,000 entries: a recording is packed
/// ten to fifty times smaller, and a bomb a thousand times.
final class Archive {
    /// What is told by how the bytes begin.
    enum Kind {
        case zip
        /// One file alone.
        case gzip

        init?(head: [UInt8]) {
            switch head {
            case _ where head.starts(with: [0x50, 0x4b, 3, 4]): self = .zip
            // One without entries.
            case _ where head.starts(with: [0x50, 0x4b, 5, 6]): self = .zip
            case _ where head.starts(with: [0x1f, 0x8b, 8]): self = .gzip
            default: return nil
            }
        }

        static let headSize = 4
    }

    /// One file of an archive.
    struct Entry {
        /// With its folders.
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
    /// So little may be packed as small as it will.
    private static let harmlessByteCount = 16 << 20

    /// Opens an archive at its start.
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

    /// The next file; nil at the end.
    ///
    /// Folders, links and hidden files, such as those in which macOS keeps its own notes, are left
    /// out.
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

    /// The next bytes of the present file; none at its end.
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

    /// Entries that lie over one another are read again and again: all of them together hold no
    /// more than the whole file may.
    private func allowance(of size: Int) -> Int {
        4 * Self.harmlessByteCount + Self.ratioLimit * min(size, Self.byteLimit)
    }

    private static func isHidden(_ path: String) -> Bool {
        path.split(separator: "/").contains { part in
            // Nothing is written by these names, so a way up leads nowhere.
            part != "." && part != ".." && (part.hasPrefix(".") || part == "__MACOSX")
        }
    }

    private var error: any Error {
        if let failure { return failure }
        let words = unsafe carchive_reason(reader).map { unsafe String(cString: $0) }
        return ArchiveError.damaged(words ?? "it cannot be read")
    }
}

/// What libarchive asks for.
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

/// Why an archive, or a file in it, cannot be read.
enum ArchiveError: Error, Equatable {
    /// In the words of libarchive.
    case damaged(String)
    /// Read with a password only.
    case encrypted
    /// It holds more than it may, or so much in so few bytes that it is no recording.
    case tooLarge
    /// More files than an archive may have.
    case tooManyEntries
    /// An archive inside of an archive, which is not opened.
    case nested

    /// Whether what came before it is worth to be told of.
    var leavesWhatCameBefore: Bool {
        if case .damaged = self { true } else { false }
    }
}
