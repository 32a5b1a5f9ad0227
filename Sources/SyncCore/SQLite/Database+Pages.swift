internal import CSQLite

/// Pages of a database that were read with a wrong checksum.
package struct FaultyPages: Equatable, Sendable {
    /// Their numbers, from 1; of more than 1,024 pages those that were read first.
    package var numbers: [UInt32] = []

    package var count: Int { numbers.count }
    package var isEmpty: Bool { numbers.isEmpty }

    /// The pages in words: "page 7", "pages 7, 9"; of many the first ones, "and 15 more".
    package var words: String {
        let first = numbers.prefix(16).map(String.init).joined(separator: ", ")
        let more = count > 16 ? " and \(count - 16) more" : ""
        return (count == 1 ? "page " : "pages ") + first + more
    }

    private static let limit: Int32 = 1024

    fileprivate init(on handle: csqlite_connection, areDamaged: Bool) {
        guard csqlite_faulty_pages(handle, areDamaged, nil, 0) > 0 else { return }
        numbers = [UInt32](repeating: 0, count: Int(Self.limit))
        let count = unsafe csqlite_faulty_pages(handle, areDamaged, &numbers, Self.limit)
        numbers.removeLast(numbers.count - Int(count))
    }

    package init(numbers: [UInt32] = []) { self.numbers = numbers }

    /// Reads ``list``.
    package static func numbers(_ list: String) -> [UInt32] {
        list.split(separator: ",").compactMap { UInt32($0) }
    }

    /// Their numbers with commas, of many the first ones.
    package var list: String { numbers.prefix(Self.listed).map(String.init).joined(separator: ",") }

    private static let listed = 256

    package func without(_ known: Set<UInt32>) -> FaultyPages {
        FaultyPages(numbers: numbers.filter { !known.contains($0) })
    }
}

extension Database {
    /// Pages in which one flipped bit was put right when they were read.
    ///
    /// The next checkpoint writes them to the file.
    package var correctedPages: FaultyPages { FaultyPages(on: handle, areDamaged: false) }

    /// Pages with more than one wrong bit, which were read as they are.
    package var damagedPages: FaultyPages { FaultyPages(on: handle, areDamaged: true) }

    /// The ``correctedPages`` that no earlier call returned.
    package func takeCorrectedPages() -> FaultyPages { Self.take(correctedPages, &takenCorrected) }

    /// The ``damagedPages`` that no earlier call returned.
    package func takeDamagedPages() -> FaultyPages { Self.take(damagedPages, &takenDamaged) }

    private static func take(_ pages: FaultyPages, _ taken: inout Set<UInt32>) -> FaultyPages {
        let new = pages.without(taken)
        taken.formUnion(new.numbers)
        return new
    }

    /// Whether opening found that the disk lost commits: the write-ahead log is damaged, shorter than it was,
    /// or gone.
    package var hasLostCommits: Bool { csqlite_lost_commits(handle) }

    /// Reads each page of the file, so that ``correctedPages`` and ``damagedPages`` have all that are
    /// wrong now.
    package func scanPages() throws {
        let code = csqlite_scan_pages(handle)
        guard code == CSQLITE_OK else { throw DatabaseError(code: code, on: handle, sql: nil) }
    }

    /// Whether the pages of the file have checksums; in a file that another program made they have none.
    package var hasChecksums: Bool { csqlite_has_sums(handle) }

    /// Writes all pages and indexes anew, each with its checksum.
    ///
    /// Until then a page that was read with damage stays marked, whatever is written to it.
    package func rewritePages() throws {
        try execute("VACUUM")
        try execute("PRAGMA wal_checkpoint(PASSIVE)")
        try scanPages()
    }

    /// Writes pages that were put right to the file, unless another process keeps a checkpoint from
    /// doing so: then a later one does.
    package func writeCorrectedPages() throws {
        // A checkpoint without anything in the log would do nothing.
        try execute("PRAGMA user_version = \(userVersion())")
        try execute("PRAGMA wal_checkpoint(PASSIVE)")
    }
}
