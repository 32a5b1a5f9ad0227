@testable import SyncCore
import Testing

/// The checksums of a database's pages.
@Suite struct PageSumTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/sums.db" }

    /// A file of some pages, closed.
    private func make() throws {
        let database = try Database(path: path)
        try database.execute(
            "CREATE TABLE t (number INTEGER PRIMARY KEY, bytes BLOB, name TEXT) STRICT"
        )
        try database.execute("CREATE INDEX t_name ON t (name)")
        for number in 0..<40 as Range<Int64> {
            let bytes = [UInt8](repeating: UInt8(number), count: 300 * Int(number % 7))
            try database.run(
                "INSERT INTO t (number, bytes, name) VALUES (\(number), \(bytes), \("name \(number)"))"
            )
        }
        let large = [UInt8](repeating: 7, count: 20_000)
        try database.run("INSERT INTO t (number, bytes, name) VALUES (100, \(large), 'large')")
    }

    private func content(of database: Database) throws -> [[UInt8]] {
        try database.all("SELECT bytes FROM t ORDER BY name") { $0.blob(0) }
    }

    private func bytes() throws -> [UInt8] { try folder.contents(of: "sums.db") }

    private func store(_ bytes: [UInt8]) throws { try folder.write(bytes, to: "sums.db") }

    @Test func `any flipped bit of the file is put right, and written at the next checkpoint`()
        throws
    {
        try make()
        let sound = try bytes()
        #expect(sound.count % 4096 == 0 && sound.count > 4096 * 8)
        let before = try content(of: try Database(path: path))
        var random = SplitMix64(seed: 5)
        // The first hundred bytes describe the file.
        let places =
            (0..<100).map { $0 * 8 + Int.random(in: 0..<8, using: &random) }
            + (0..<300).map { _ in Int.random(in: 0..<sound.count * 8, using: &random) }
        for place in places {
            var flipped = sound
            flipped[place / 8] ^= 1 << (place % 8)
            try store(flipped)
            let page = UInt32(place / 8 / 4096 + 1)
            do {
                let database = try Database(path: path)
                #expect(try content(of: database) == before, "bit \(place)")
                try database.scanPages()
                #expect(database.correctedPages.numbers.contains(page), "bit \(place)")
                #expect(database.damagedPages.isEmpty)
                try database.execute("CREATE TABLE IF NOT EXISTS u (x) ")
            }
            let database = try Database(path: path)
            try database.scanPages()
            #expect(
                database.correctedPages.isEmpty && database.damagedPages.isEmpty,
                "bit \(place)"
            )
        }
    }

    @Test func `more damage is told, and read as it is`() throws {
        try make()
        let sound = try bytes()
        var random = SplitMix64(seed: 6)
        for _ in 0..<200 {
            let page = Int.random(in: 1..<sound.count / 4096, using: &random)
            var damaged = sound
            let first = Int.random(in: 0..<4096 * 8, using: &random)
            let second = (first + Int.random(in: 1..<4096 * 8, using: &random)) % (4096 * 8)
            for bit in [first, second] { damaged[page * 4096 + bit / 8] ^= 1 << (bit % 8) }
            try store(damaged)
            let database = try Database(path: path)
            database.keepLog()
            try database.scanPages()
            #expect(database.damagedPages == FaultyPages(numbers: [UInt32(page + 1)]))
            #expect(database.correctedPages.isEmpty)
        }
    }

    @Test func `what is on a damaged page is read as it is`() throws {
        try make()
        var bytes = try bytes()
        // The end of the last row, in an overflow page.
        let place = try #require(bytes.lastIndex(of: 7))
        for byte in place - 10..<place { bytes[byte] = 8 }
        try store(bytes)
        let database = try Database(path: path)
        let read = try database.first("SELECT bytes FROM t WHERE number = 100") { $0.blob(0) }
        #expect(read?.count == 20_000 && read?.count { $0 == 8 } == 10)
        #expect(database.damagedPages.numbers == [UInt32(place / 4096 + 1)])
    }

    @Test func `a page that a power failure cut short at a checkpoint is no damage`() throws {
        try make()
        let old = try bytes()
        let log: [UInt8]
        do {
            let database = try Database(path: path)
            try database.run("UPDATE t SET bytes = zeroblob(length(bytes))")
            try database.execute("PRAGMA user_version = 77")
            database.keepLog()
        }
        log = try folder.contents(of: "sums.db-wal")
        let new = {
            let database = try Database(path: path)
            try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return try bytes()
        }
        let after = try new()
        var torn = old
        let pages = (0..<old.count / 4096).filter { page in
            let range = page * 4096..<(page + 1) * 4096
            return old[range] != after[range]
        }
        #expect(pages.count > 3 && pages[0] == 0)
        for page in pages {
            let half = page * 4096..<page * 4096 + 2048
            torn.replaceSubrange(half, with: after[half])
        }
        try store(torn)
        try folder.write(log, to: "sums.db-wal")
        let database = try Database(path: path)
        #expect(try content(of: database).allSatisfy { $0.allSatisfy { $0 == 0 } })
        #expect(database.takeDamagedPages().isEmpty && database.takeCorrectedPages().isEmpty)
        try database.scanPages()
        #expect(database.damagedPages.isEmpty)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try database.scanPages()
        #expect(database.damagedPages.isEmpty && database.correctedPages.isEmpty)
    }

    @Test func `each page that was put right is told once, whatever a scan finds`() throws {
        try make()
        var bytes = try bytes()
        bytes[4096 * 3 + 100] ^= 1
        try store(bytes)
        let database = try Database(path: path)
        try database.scanPages()
        #expect(database.takeCorrectedPages().numbers == [4])
        #expect(database.takeCorrectedPages().isEmpty)
        bytes[4096 * 3 + 100] ^= 1
        bytes[4096 * 5 + 100] ^= 1
        try store(bytes)
        try database.scanPages()
        #expect(database.takeCorrectedPages().numbers == [6])
    }

    @Test func `a salvage puts one flipped bit of a page right`() throws {
        try make()
        let records = { [path] in
            var found: [String] = []
            try DamagedFile(path: path).each { found.append("\($0)") }
            return found
        }
        let sound = try records()
        var bytes = try bytes()
        for page in 1..<bytes.count / 4096 { bytes[page * 4096 + 2000] ^= 4 }
        try store(bytes)
        #expect(try records() == sound)
    }

    @Test func `a damaged page stays marked whatever is written to it, until all are written anew`()
        throws
    {
        try make()
        var bytes = try bytes()
        // Two bits of a page's sum, so that nothing else is wrong.
        for page in 1..<bytes.count / 4096 { bytes[page * 4096 + 4092] ^= 3 }
        try store(bytes)
        let damaged = bytes.count / 4096 - 1
        for _ in 0..<2 {
            let database = try Database(path: path)
            try database.run("UPDATE t SET name = name")
        }
        do {
            let database = try Database(path: path)
            try database.scanPages()
            #expect(database.damagedPages.count == damaged)
            try database.rewritePages()
            #expect(database.damagedPages.isEmpty)
        }
        let database = try Database(path: path)
        try database.scanPages()
        #expect(database.damagedPages.isEmpty && database.correctedPages.isEmpty)
    }

    @Test func `flipped bits in all pages are put right and written at once`() throws {
        try make()
        let sound = try bytes()
        var flipped = sound
        for page in 0..<sound.count / 4096 { flipped[page * 4096 + 50 + page] ^= 16 }
        try store(flipped)
        do {
            let database = try Database(path: path)
            try database.scanPages()
            #expect(database.correctedPages.count == sound.count / 4096)
            #expect(database.correctedPages.words.contains("more") == (sound.count / 4096 > 16))
            try database.writeCorrectedPages()
        }
        let database = try Database(path: path)
        try database.scanPages()
        #expect(database.correctedPages.isEmpty && database.damagedPages.isEmpty)
    }

    @Test func `a page at the place of another is told`() throws {
        try make()
        var bytes = try bytes()
        bytes.replaceSubrange(4096 * 4..<4096 * 5, with: bytes[4096 * 3..<4096 * 4])
        try store(bytes)
        let database = try Database(path: path)
        try database.scanPages()
        #expect(database.damagedPages == FaultyPages(numbers: [5]))
    }

    @Test func `a copy that is larger than SQLite's cache has sums everywhere`() throws {
        try make()
        let copy = folder.path + "/copy.db"
        do {
            let database = try Database(path: path)
            try database.write {
                for number in 1000..<1400 as Range<Int64> {
                    let bytes = [UInt8](repeating: 9, count: 30_000)
                    try database.run(
                        "INSERT INTO t (number, bytes, name) VALUES (\(number), \(bytes), '')"
                    )
                }
            }
            // Pages leave the cache in another order than that of their numbers.
            try database.execute("PRAGMA cache_size=20")
            try database.run("VACUUM INTO \(copy)")
        }
        let database = try Database(path: copy)
        try database.scanPages()
        #expect(database.damagedPages.isEmpty && database.correctedPages.isEmpty)
        #expect(try content(of: database).count == 441)
    }

    @Test func `a copy made by SQLite has sums as well`() throws {
        try make()
        let copy = folder.path + "/copy.db"
        do {
            let database = try Database(path: path)
            try database.run("VACUUM INTO \(copy)")
        }
        var bytes = try folder.contents(of: "copy.db")
        bytes[5000] ^= 4
        try folder.write(bytes, to: "copy.db")
        let database = try Database(path: copy)
        _ = try content(of: database)
        try database.scanPages()
        #expect(database.correctedPages == FaultyPages(numbers: [2]))
    }
}
