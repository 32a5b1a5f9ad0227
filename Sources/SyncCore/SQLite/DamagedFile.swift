internal import CSQLite
internal import Glibc

/// The readable records of a damaged SQLite file, page by page.
///
/// SQLite gives up a file whose first page or inner pages are lost. Each leaf page describes its
/// own records, but not its table: callers recognise that by the shape of a record, so no two
/// tables may have the same shape. The file and its write-ahead log are only read.
///
/// Source: https://sqlite.org/fileformat2.html
@safe package final class DamagedFile {
    private let file: Int32
    private let log: Int32
    /// The offset in the log of each page's last committed state.
    private let frames: [Int: Int]
    private let pageSize: Int
    /// The part of a page that content may use.
    private let usableSize: Int
    /// The pages that the file or the log has; the number of a damaged frame may be any.
    private let pages: [Int]
    /// Free pages, overflow pages that were read, and pages whose records are all readable.
    private var readPages: Set<Int> = []

    /// Opens the file at `path` and the log beside it.
    package init(path: String) throws(DatabaseError) {
        file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        log = unsafe open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            if log >= 0 { close(log) }
            throw DatabaseError(code: CSQLITE_CANTOPEN, message: reason, sql: nil)
        }
        let header = Self.bytes(of: file, at: 0, count: 100)
        let written = header.count < 100 ? 0 : Self.number(header[16..<18])
        let size = written == 1 ? 65_536 : written
        let isRight =
            header.starts(with: Self.magic) && (512...65_536).contains(size)
            && size & (size - 1) == 0
        pageSize = isRight ? size : Self.usualPageSize
        usableSize = pageSize - (isRight ? min(Int(header[20]), 32) : Self.usualReserve)
        let inFile = (Self.byteCount(of: file) + pageSize - 1) / pageSize
        let frames = Self.frames(of: log, pageSize: pageSize)
        pages = (0..<inFile).map { $0 + 1 } + frames.keys.filter { $0 > inFile }.sorted()
        self.frames = frames
    }

    deinit {
        close(file)
        if log >= 0 { close(log) }
    }

    private static let magic = Array("SQLite format 3\0".utf8)
    private static let usualPageSize = 4096
    /// The bytes at the end of each page that have its checksum.
    private static let usualReserve = 4

    private static func byteCount(of descriptor: Int32) -> Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_size : 0
    }

    /// Returns the bytes at an offset: fewer at the end of the file or after an I/O error.
    private static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                let rest = unsafe $0.baseAddress.map { unsafe $0 + done }
                return unsafe pread(descriptor, rest, count - done, offset + done)
            }
            guard more > 0 else { break }
            done += more
        }
        return Array(bytes.prefix(done))
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the offset of each page's last committed state in a log.
    ///
    /// Checksums are ignored, because one flipped bit would invalidate all later frames. Frames
    /// from before the log was last restarted have other salts; a difference of one bit is damage.
    private static func frames(of log: Int32, pageSize: Int) -> [Int: Int] {
        let header = log < 0 ? [] : bytes(of: log, at: 0, count: 32)
        guard header.count == 32, number(header[8..<12]) == pageSize else { return [:] }
        var committed: [Int: Int] = [:]
        var open: [Int: Int] = [:]
        var offset = 32
        while true {
            let frame = bytes(of: log, at: offset, count: 24)
            guard frame.count == 24 else { return committed }
            let differences = zip(frame[8..<16], header[16..<24]).map { ($0 ^ $1).nonzeroBitCount }
            guard differences.reduce(0, +) <= 1 else { return committed }
            open[number(frame[0..<4])] = offset + 24
            if number(frame[4..<8]) > 0 {
                committed.merge(open) { $1 }
                open = [:]
            }
            offset += 24 + pageSize
        }
    }

    /// Returns a page, numbered from 1, or nil if it is incomplete.
    private func page(_ number: Int) -> [UInt8]? {
        guard number > 0 else { return nil }
        if let offset = frames[number] {
            let bytes = Self.bytes(of: log, at: offset, count: pageSize)
            return bytes.count == pageSize ? bytes : nil
        }
        var bytes = Self.bytes(of: file, at: (number - 1) * pageSize, count: pageSize)
        guard bytes.count == pageSize else { return nil }
        if hasChecksums { _ = unsafe csqlite_correct_page(&bytes, UInt32(number)) }
        return bytes
    }

    /// Whether each page ends with a checksum, which puts one flipped bit right.
    private var hasChecksums: Bool {
        pageSize == Self.usualPageSize && usableSize == pageSize - Self.usualReserve
    }

    /// Returns the free pages, as far as the free list is readable.
    private func freePages() -> Set<Int> {
        guard let first = page(1), first.starts(with: Self.magic) else { return [] }
        var free: Set<Int> = []
        var trunk = Self.number(first[32..<36])
        while trunk > 0, free.insert(trunk).inserted, let page = page(trunk) {
            let count = min(Self.number(page[4..<8]), usableSize / 4 - 2)
            for index in 0..<max(count, 0) {
                free.insert(Self.number(page[(8 + 4 * index)..<(12 + 4 * index)]))
            }
            trunk = Self.number(page[0..<4])
        }
        return free
    }

    /// The pages that the file has or should have, and how many are unreadable at least in part.
    ///
    /// Known after ``each(_:)``.
    package var tally: (all: Int, unreadable: Int) {
        guard let all = saidPageCount else {
            return (pages.count, pages.count - readPages.intersection(pages).count)
        }
        return (all, all - readPages.count { $0 <= all })
    }

    /// The page count in the header, or nil if the header is not valid.
    ///
    /// A truncated file has fewer pages than that.
    private var saidPageCount: Int? {
        guard let first = page(1), first.starts(with: Self.magic), first[24..<28] == first[92..<96]
        else { return nil }
        return Self.number(first[28..<32])
    }
}

package struct DamagedRecord {
    /// Whether it belongs to a rowid table, not to an index or a table without rowids.
    package let isNumbered: Bool
    /// The rowid, or 0 if there is none.
    package let number: Int64
    /// The columns that were written.
    ///
    /// The column that aliases the rowid is null.
    package let values: [SQLiteValue]
}

extension DamagedFile {
    /// Passes every readable record to `body`.
    package func each(_ body: (DamagedRecord) throws -> Void) rethrows {
        readPages = freePages()
        for number in pages where !readPages.contains(number) {
            guard let page = page(number) else { continue }
            let (records, isWhole) = records(of: page, at: number == 1 ? 100 : 0)
            if isWhole { readPages.insert(number) }
            for record in records { try body(record) }
        }
    }

    /// Returns the readable records of a page, and whether these are all.
    private func records(of page: [UInt8], at start: Int) -> ([DamagedRecord], isWhole: Bool) {
        guard let kind = Kind(rawValue: page[start]) else { return ([], false) }
        guard kind != .innerTable else { return ([], true) }
        let count = Self.number(page[(start + 3)..<(start + 5)])
        let pointers = start + (kind == .innerIndex ? 12 : 8)
        let limit = (usableSize - pointers) / 2
        let records = (0..<min(count, max(limit, 0))).compactMap { index in
            let place = pointers + 2 * index
            let offset = Self.number(page[place..<(place + 2)])
            return record(kind, Cursor(content: page, offset: offset))
        }
        return (records, records.count == count)
    }

    /// The page types of b-trees.
    ///
    /// Inner pages of tables hold no records.
    private enum Kind: UInt8 {
        case innerIndex = 2
        case innerTable = 5
        case leafIndex = 10
        case leafTable = 13
    }

    private func record(_ kind: Kind, _ cursor: Cursor) -> DamagedRecord? {
        var cursor = cursor
        if kind == .innerIndex { cursor.offset += 4 }
        guard let count = cursor.varint(), (1...Self.recordLimit).contains(count) else {
            return nil
        }
        let isNumbered = kind == .leafTable
        guard let number = isNumbered ? cursor.varint() : 0,
            let payload = payload(Int(count), cursor, isNumbered),
            let values = Self.values(of: payload)
        else { return nil }
        return DamagedRecord(isNumbered: isNumbered, number: number, values: values)
    }

    /// A larger byte count is certainly damaged.
    private static let recordLimit: Int64 = 64 << 20

    /// Returns the bytes of a record, from its page and its overflow pages.
    private func payload(_ count: Int, _ cursor: Cursor, _ isNumbered: Bool) -> [UInt8]? {
        let most = isNumbered ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        let least = (usableSize - 12) * 32 / 255 - 23
        let wished = least + (count - least) % (usableSize - 4)
        let local = count <= most ? count : wished <= most ? wished : least
        var cursor = cursor
        guard var bytes = cursor.bytes(local) else { return nil }
        guard count > local else { return bytes }
        guard var next = cursor.bytes(4).map(Self.number) else { return nil }
        var pages: [Int] = []
        while bytes.count < count {
            guard let page = page(next) else { return nil }
            // A page of zeros was never written, so it does not count as read.
            if page.contains(where: { $0 != 0 }) { pages.append(next) }
            bytes += page[4..<min(usableSize, 4 + count - bytes.count)]
            next = Self.number(page[0..<4])
        }
        readPages.formUnion(pages)
        return bytes
    }

    private static func values(of payload: [UInt8]) -> [SQLiteValue]? {
        var header = Cursor(content: payload, offset: 0)
        guard let size = header.varint(), size <= payload.count else { return nil }
        var body = Cursor(content: payload, offset: Int(size))
        var values: [SQLiteValue] = []
        while header.offset < size {
            guard let type = header.varint(), let value = body.value(of: type) else { return nil }
            values.append(value)
        }
        return body.offset == payload.count ? values : nil
    }
}

/// A position in some bytes.
///
/// Reads beyond the end return nil.
private struct Cursor {
    let content: [UInt8]
    var offset: Int

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, offset >= 0, offset <= content.count, count <= content.count - offset
        else { return nil }
        defer { offset += count }
        return Array(content[offset..<(offset + count)])
    }

    /// Reads an integer of up to 9 bytes: seven bits each, the most significant first, eight in the
    /// ninth.
    mutating func varint() -> Int64? {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard let byte = bytes(1)?.first else { return nil }
            if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
            number = number << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return Int64(bitPattern: number) }
        }
        return nil
    }

    mutating func value(of type: Int64) -> SQLiteValue? {
        switch type {
        case 0: return .null
        case 1...6: return bytes([1, 2, 3, 4, 6, 8][Int(type) - 1]).map(Self.integer)
        case 7:
            return bytes(8).map { .real(Double(bitPattern: $0.reduce(0) { $0 << 8 | UInt64($1) })) }
        case 8, 9: return .integer(type - 8)
        case 12...:
            guard let content = bytes(Int((type - 12) / 2)) else { return nil }
            return type % 2 == 0 ? .blob(content) : .text(content)
        default: return nil
        }
    }

    /// Reads a big-endian integer in two's complement.
    private static func integer(_ bytes: [UInt8]) -> SQLiteValue {
        let sign: Int64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
        return .integer(bytes.reduce(sign) { $0 << 8 | Int64($1) })
    }
}
