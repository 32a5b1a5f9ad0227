internal import CArchive
internal import Glibc
import SyncCore

/// An archive that is read entry by entry as its bytes come; nothing is written to disk.
///
/// Whatever an archive claims, of one entry come at most 1 GiB, of all 32 GiB, never more than
/// 250 times what was read of the archive, and of at most 100,000 entries: a recording is packed
/// ten to fifty times smaller, and a bomb a thousand times.
@safe final class Archive {
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

    private let archive: OpaquePointer
    private let source: ByteSource
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    /// What libarchive was handed last, and may look at until it asks again.
    private var input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
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
        guard let archive = unsafe archive_read_new() else {
            preconditionFailure("libarchive has memory")
        }
        unsafe self.archive = archive
        self.source = source
        switch kind {
        case .zip: unsafe archive_read_support_format_zip(archive)
        case .gzip:
            unsafe archive_read_support_filter_gzip(archive)
            unsafe archive_read_support_format_raw(archive)
        }
        unsafe archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
        unsafe archive_read_set_read_callback(archive) { unsafe Archive.from($1).fill($2) }
        if source.seek != nil {
            unsafe archive_read_set_seek_callback(archive) { unsafe Archive.from($1).seek($2, $3) }
        }
        try check(unsafe archive_read_open1(archive))
    }

    deinit {
        unsafe archive_read_free(archive)
        unsafe piece.deallocate()
        unsafe input.deallocate()
    }

    /// The next file; nil at the end.
    ///
    /// Folders, links and hidden files, such as those in which macOS keeps its own notes, are left
    /// out.
    func nextEntry() throws -> Entry? {
        // libarchive tells names in the characters of the thread's locale, and none of those that
        // it lacks.
        let locale = unsafe newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
        let before = unsafe locale.map { unsafe uselocale($0) }
        defer {
            if let before = unsafe before { unsafe uselocale(before) }
            if let locale = unsafe locale { unsafe freelocale(locale) }
        }
        return try nextFile()
    }

    private func nextFile() throws -> Entry? {
        while true {
            var entry: OpaquePointer?
            let code = unsafe archive_read_next_header(archive, &entry)
            guard code != ARCHIVE_EOF else { return nil }
            // A warning is about a name or an attribute that nobody needs.
            if code != ARCHIVE_WARN { try check(code) }
            entryCount += 1
            guard entryCount <= Self.entryLimit else { throw ArchiveError.tooManyEntries }
            guard let entry = unsafe entry else { return nil }
            (entryByteCount, readBeforeEntry) = (0, readByteCount)
            let path = unsafe Self.path(of: entry) ?? "entry \(entryCount)"
            let kind = unsafe archive_entry_filetype(entry)
            guard kind == S_IFREG || kind == 0, !path.hasSuffix("/"), !Self.isHidden(path)
            else { continue }
            return unsafe Entry(
                path: path,
                isEncrypted: archive_entry_is_data_encrypted(entry) == 1
            )
        }
    }

    /// The next bytes of the present file; none at its end.
    func next() throws -> [UInt8] {
        let count = unsafe archive_read_data(archive, piece.baseAddress, piece.count)
        guard count >= 0 else { throw error }
        entryByteCount += count
        byteCount += count
        let read = readByteCount - readBeforeEntry
        guard entryByteCount <= Self.entryByteLimit, byteCount <= Self.byteLimit,
            entryByteCount <= Self.harmlessByteCount + Self.ratioLimit * read,
            source.byteCount.map({ byteCount <= allowance(of: $0) }) ?? true
        else { throw ArchiveError.tooLarge }
        return unsafe Array(piece.prefix(count))
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

    private static func path(of entry: OpaquePointer) -> String? {
        // As the entry has it, in whichever characters; or as libarchive could translate it.
        let text = unsafe archive_entry_pathname(entry) ?? archive_entry_pathname_utf8(entry)
        return unsafe text.map { unsafe String(cString: $0) }
    }

    private func check(_ code: Int32) throws {
        guard code == ARCHIVE_OK else { throw error }
    }

    private var error: any Error {
        if let failure { return failure }
        let words = unsafe archive_error_string(archive).map { unsafe String(cString: $0) }
        return ArchiveError.damaged(words ?? "it cannot be read")
    }
}

/// What libarchive asks for.
extension Archive {
    private static func from(_ context: UnsafeMutableRawPointer?) -> Archive {
        guard let context = unsafe context else { preconditionFailure("the context was set") }
        return unsafe Unmanaged<Archive>.fromOpaque(context).takeUnretainedValue()
    }

    private func fill(_ buffer: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        do {
            let bytes = try source.next()
            readByteCount += bytes.count
            unsafe input.deallocate()
            unsafe input = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
            unsafe input.copyBytes(from: bytes)
            unsafe buffer?.pointee = UnsafeRawPointer(input.baseAddress)
            return bytes.count
        } catch {
            failure = error
            return Int(ARCHIVE_FATAL)
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let place = source.seek?(offset, whence) ?? -1
        return place < 0 ? Int64(ARCHIVE_FATAL) : place
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
