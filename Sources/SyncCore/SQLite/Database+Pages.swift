internal import CSQLite

/// Pages of a database file that were read with a wrong checksum.
package struct FaultyPages: Equatable, Sendable {
    /// The numbers of the first pages, from 1, at most 16.
    package var first: [UInt32] = []
    package var count = 0

    package var isEmpty: Bool { count == 0 }

    /// The pages in words: "page 7", "pages 7, 9", "pages 7, 9 and 15 more".
    package var words: String {
        let numbers = first.map(String.init).joined(separator: ", ")
        let more = count > first.count ? " and \(count - first.count) more" : ""
        return (count == 1 ? "page " : "pages ") + numbers + more
    }
}

extension Database {
    /// Pages in which one flipped bit was put right when they were read.
    ///
    /// The next checkpoint writes them to the file.
    package var correctedPages: FaultyPages { faultyPages(isDamaged: false) }

    /// Pages with more than one wrong bit, which were read as they are.
    package var damagedPages: FaultyPages { faultyPages(isDamaged: true) }

    private func faultyPages(isDamaged: Bool) -> FaultyPages {
        var numbers = [UInt32](repeating: 0, count: 16)
        let limit = Int32(numbers.count)
        let count = unsafe csqlite_faulty_pages(handle, isDamaged, &numbers, limit)
        return FaultyPages(first: Array(numbers.prefix(Int(count))), count: Int(count))
    }

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
    /// Until then a damaged page stays marked, whatever is written to it.
    package func rewritePages() throws {
        csqlite_forgive_damage(handle)
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
