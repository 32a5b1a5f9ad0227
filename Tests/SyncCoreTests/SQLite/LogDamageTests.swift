@testable import SyncCore
import Testing

/// Wrong bits in SQLite's write-ahead log, as a killed process leaves it or while it is in use.
@Suite struct LogDamageTests {
    private let folder: TemporaryFolder
    private let frameSize = 4096 + 24

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/log.db" }

    private func insert(_ number: Int64, into database: Database) throws {
        var random = SplitMix64(seed: UInt64(number))
        let bytes = (0..<300 * Int(number % 20)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        try database.run("INSERT INTO t (number, bytes) VALUES (\(number), \(bytes))")
    }

    /// A file with a log of some commits of several pages, as a killed process leaves them.
    private func make(commits: Int64 = 12) throws {
        let database = try Database(path: path)
        try database.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, bytes BLOB) STRICT")
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for commit in 0..<commits {
            try database.write {
                for number in 0..<5 as Range<Int64> {
                    try insert(commit * 5 + number, into: database)
                }
            }
        }
        try keep(database)
    }

    /// Closes a database without moving its log into it.
    private func keep(_ database: consuming Database) throws { database.keepLog() }

    private func content() throws -> [Int64: [UInt8]] {
        let database = try Database(path: path)
        return try content(of: database)
    }

    private func content(of database: Database) throws -> [Int64: [UInt8]] {
        let rows = try database.all("SELECT number, bytes FROM t") { ($0.integer(0), $0.blob(1)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The files as ``make(commits:)`` left them.
    private struct Files {
        let database: [UInt8]
        var log: [UInt8]
        /// The mark of the log's end; nil after a power failure that came before it.
        var end: [UInt8]?
    }

    private func files() throws -> Files {
        Files(
            database: try folder.contents(of: "log.db"),
            log: try folder.contents(of: "log.db-wal"),
            end: try folder.contents(of: "log.db-end")
        )
    }

    private func store(_ files: Files) throws {
        folder.remove("log.db")
        try folder.write(files.database, to: "log.db")
        try folder.write(files.log, to: "log.db-wal")
        folder.remove("log.db-end")
        if let end = files.end { try folder.write(end, to: "log.db-end") }
    }

    @Test func `one flipped bit of a log left behind loses no commit, and most are put right`()
        throws
    {
        try make()
        let sound = try files()
        let before = try content()
        #expect(before.count == 60 && sound.log.count > frameSize * 40)
        var random = SplitMix64(seed: 11)
        let headers = (0..<24 * 8).map { 32 * 8 + 17 * frameSize * 8 + $0 }
        let others = (0..<600).map { _ in Int.random(in: 0..<sound.log.count * 8, using: &random) }
        var (corrected, lost) = (0, 0)
        for place in Array(0..<32 * 8) + headers + others {
            var flipped = sound
            flipped.log[place / 8] ^= 1 << (place % 8)
            try store(flipped)
            let database = try Database(path: path)
            let found = try content(of: database)
            // The last commit might as well be one that a power failure cut short.
            #expect(found.count == (database.hasLostCommits ? 55 : 60), "bit \(place)")
            lost += database.hasLostCommits ? 1 : 0
            if database.damagedPages.isEmpty {
                #expect(found.allSatisfy { before[$0.key] == $0.value }, "bit \(place)")
            }
            if !database.correctedPages.isEmpty { corrected += 1 }
            database.distrust()
        }
        #expect(lost < 20)
        #expect(corrected > (headers.count + others.count + 256) * 7 / 10)
    }

    /// The page of a frame.
    private func page(of frame: Int, in log: [UInt8]) -> UInt32 {
        log[(32 + frame * frameSize)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Frames of pages with values that no later frame replaces, not of the last commit.
    private func lastFrames(in log: [UInt8]) -> [Int] {
        let pages = (0..<(log.count - 32) / frameSize).map { page(of: $0, in: log) }
        return pages.indices.dropLast(20).filter { frame in
            let isInner = log[32 + frame * frameSize + 24] == 5
            return !isInner && !pages[(frame + 1)...].contains(pages[frame])
        }
    }

    /// A log with a flipped bit whose place cannot be determined, and the frame with the bit.
    private func doubtful(_ sound: Files) throws -> (files: Files, frame: Int) {
        for frame in lastFrames(in: sound.log) {
            for word in 100..<200 {
                var flipped = sound
                flipped.log[32 + frame * frameSize + 24 + word * 4 + 3] ^= 0x80
                try store(flipped)
                let database = try Database(path: path)
                _ = try content(of: database)
                database.keepLog()
                if !database.damagedPages.isEmpty { return (flipped, frame) }
            }
        }
        throw NoSuchBit()
    }

    private struct NoSuchBit: Error {}

    @Test func `a bit that cannot be found costs at most its page, which stays marked`() throws {
        try make()
        let sound = try files()
        let (flipped, frame) = try doubtful(sound)
        try store(flipped)
        let database = try Database(path: path)
        let found = try content(of: database)
        let pages = FaultyPages(numbers: [page(of: frame, in: sound.log)])
        #expect(found.count == 60 && !database.hasLostCommits)
        #expect(database.damagedPages == pages && database.correctedPages.isEmpty)
        // The page stays marked in the log and in the file, also for others.
        let other = try Database(path: path)
        try other.scanPages()
        #expect(other.damagedPages == pages)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let next = try Database(path: path)
        try next.scanPages()
        #expect(next.damagedPages == pages)
        #expect(try content(of: next) == found)
        try next.rewritePages()
        #expect(next.damagedPages.isEmpty)
    }

    @Test func `a bit of the last commit that cannot be found drops the commit, and that is told`()
        throws
    {
        try make()
        var sound = try files()
        sound.end = nil
        let before = try content().filter { $0.key < 55 }
        let frame = (sound.log.count - 32) / frameSize - 2
        var told = 0
        for word in 100..<200 {
            var flipped = sound
            flipped.log[32 + frame * frameSize + 24 + word * 4 + 3] ^= 0x80
            try store(flipped)
            let database = try Database(path: path)
            let found = try content(of: database)
            #expect(database.damagedPages.isEmpty)
            guard database.hasLostCommits else { continue }
            #expect(found == before)
            told += 1
        }
        #expect(told > 0)
    }

    @Test func `a damaged frame whose page was written again does no harm`() throws {
        try make()
        let sound = try files()
        let before = try content()
        let count = (sound.log.count - 32) / frameSize
        let last = lastFrames(in: sound.log)
        let frame = try #require((0..<count - 20).first { !last.contains($0) })
        for word in 0..<1000 {
            var flipped = sound
            flipped.log[32 + frame * frameSize + 24 + word * 4 + 3] ^= 0x80
            try store(flipped)
            let database = try Database(path: path)
            #expect(try content(of: database) == before)
            #expect(database.damagedPages.isEmpty)
            guard database.correctedPages.isEmpty else { continue }
            return
        }
        throw NoSuchBit()
    }

    @Test func `a repair that was killed is done again`() throws {
        try make()
        let (damaged, frame) = try doubtful(files())
        try store(damaged)
        let after = try content()
        // The damaged page is written first, then the sums, from the last one to the first.
        try store(damaged)
        do {
            let database = try Database(path: path)
            _ = try content(of: database)
            try keep(database)
        }
        let repaired = try files().log
        #expect(repaired.count == damaged.log.count)
        let count = (repaired.count - 32) / frameSize
        for rest in [frame + 1, frame + 2, count / 2, count - 1] {
            var killed = damaged
            let start = 32 + rest * frameSize
            killed.log.replaceSubrange(start..., with: repaired[start...])
            try store(killed)
            let database = try Database(path: path)
            #expect(try content(of: database) == after, "from frame \(rest)")
            #expect(database.damagedPages.count == 1 && !database.hasLostCommits)
        }
    }

    @Test func `commits that follow an unreadable frame are dropped, and that is told`() throws {
        try make()
        let sound = try files()
        let before = try content()
        let count = (sound.log.count - 32) / frameSize
        for frame in [0, 7, count / 2] {
            for length in [90, 512] {
                var damaged = sound
                let start = 32 + frame * frameSize
                for byte in start..<start + length { damaged.log[byte] ^= 0x5a }
                try store(damaged)
                let database = try Database(path: path)
                let found = try content(of: database)
                #expect(found.count < 60 && found.allSatisfy { before[$0.key] == $0.value })
                #expect(database.hasLostCommits && database.damagedPages.isEmpty)
            }
        }
    }

    @Test func `a write that the disk lost is no damage of its page`() throws {
        try make()
        let sound = try files()
        let before = try content()
        let pages = (0..<(sound.log.count - 32) / frameSize).map { page(of: $0, in: sound.log) }
        let second = try #require(pages.indices.first { pages[..<$0].contains(pages[$0]) })
        let first = try #require(pages.firstIndex(of: pages[second]))
        var lost = sound
        let content = { frame in 32 + frame * frameSize + 24..<32 + (frame + 1) * frameSize }
        lost.log.replaceSubrange(content(second), with: sound.log[content(first)])
        try store(lost)
        let database = try Database(path: path)
        let found = try self.content(of: database)
        #expect(found.count < 60 && found.allSatisfy { before[$0.key] == $0.value })
        #expect(database.hasLostCommits && database.damagedPages.isEmpty)
    }

    @Test func `the end of a log that was never written as a whole is dropped`() throws {
        try make()
        var sound = try files()
        sound.end = nil
        let before = try content()
        let count = (sound.log.count - 32) / frameSize
        for missing in [1, 40, 4000, frameSize, 2 * frameSize + 100] {
            var torn = sound
            let start = sound.log.count - missing
            for byte in start..<sound.log.count { torn.log[byte] ^= 0xa5 }
            try store(torn)
            let database = try Database(path: path)
            #expect(try content(of: database).count == 55, "\(missing) bytes")
            #expect(!database.hasLostCommits)
            #expect(database.damagedPages.isEmpty && database.correctedPages.isEmpty)
        }
        // A page of the last commit that the disk never got, with those after it.
        var torn = sound
        let start = 32 + (count - 3) * frameSize + 24
        torn.log.replaceSubrange(start..<start + 4096, with: [UInt8](repeating: 0, count: 4096))
        try store(torn)
        #expect(try content() == before.filter { $0.key < 55 })
    }

    @Test func `a log whose commits did not wait for the disk may lack frames`() throws {
        try make()
        var torn = try files()
        let frame = try #require(lastFrames(in: torn.log).first)
        for byte in 4000..<4080 { torn.log[32 + frame * frameSize + 24 + byte] ^= 0x5a }
        try store(torn)
        let database = try Database(path: path, durability: .normal)
        #expect(try content(of: database).count < 60)
        #expect(database.damagedPages.isEmpty && !database.hasLostCommits)
    }

    @Test func `frames of an undone transaction are not taken for damage`() throws {
        try make()
        let database = try Database(path: path)
        try database.execute("PRAGMA cache_size=10; PRAGMA wal_autocheckpoint=0")
        struct Undone: Error {}
        for count in [40, 25] as [Int64] {
            #expect(throws: Undone.self) {
                try database.write {
                    for number in 0..<count { try insert(100 + number, into: database) }
                    // Pages that were written to the log are written again.
                    try database.run("UPDATE t SET bytes = zeroblob(3000)")
                    try database.run("UPDATE t SET bytes = zeroblob(2999)")
                    _ = try content(of: database)
                    throw Undone()
                }
            }
            try database.write { try insert(1000 + count, into: database) }
            try database.scanPages()
            #expect(database.damagedPages.isEmpty && database.correctedPages.isEmpty)
        }
        try database.write {
            for number in 0..<40 as Range<Int64> { try insert(2000 + number, into: database) }
            try database.run("UPDATE t SET bytes = zeroblob(3000)")
            _ = try content(of: database)
            try database.run("UPDATE t SET bytes = zeroblob(2999)")
        }
        try keep(database)
        let reopened = try Database(path: path)
        #expect(try content(of: reopened).count == 102)
        #expect(reopened.damagedPages.isEmpty && reopened.correctedPages.isEmpty)
    }

    @Test func `a bit that flips while the log is in use is put right`() throws {
        try make()
        let sound = try files()
        let before = try content()
        var random = SplitMix64(seed: 12)
        var corrected = 0
        for _ in 0..<40 {
            try store(sound)
            let first = try Database(path: path)
            #expect(try first.first("SELECT count(*) FROM t") { $0.integer(0) } == 60)
            let frame = Int.random(in: 0..<(sound.log.count - 32) / frameSize, using: &random)
            let bit = Int.random(in: 0..<4092 * 8, using: &random)
            var flipped = sound.log
            flipped[32 + frame * frameSize + 24 + bit / 8] ^= 1 << (bit % 8)
            try folder.write(flipped, to: "log.db-wal")
            let second = try Database(path: path)
            let found = try content(of: second)
            try second.scanPages()
            if second.damagedPages.isEmpty {
                #expect(found == before)
                #expect(second.correctedPages.count == 1)
                try second.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                corrected += 1
            }
            let third = try Database(path: path)
            try third.scanPages()
            #expect(third.damagedPages == second.damagedPages && third.correctedPages.isEmpty)
            for database in [first, second, third] { try keep(database) }
        }
        #expect(corrected > 25)
    }

    @Test func `a bit of a page in use is not taken for one of the size in its frame`() throws {
        let writer = try Database(path: path)
        try writer.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, bytes BLOB) STRICT")
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try writer.execute("PRAGMA wal_autocheckpoint=0")
        // A size of one bit, which could flip, and which the file does not have yet.
        var number: Int64 = 0
        while try writer.byteCount() < 64 * 4096 {
            let bytes = [UInt8](repeating: UInt8(number % 100), count: 1000)
            try writer.run("INSERT INTO t (number, bytes) VALUES (\(number), \(bytes))")
            number += 1
        }
        #expect(try writer.byteCount() == 64 * 4096)
        try writer.run(
            "UPDATE t SET bytes = \([UInt8](repeating: 100, count: 1000)) WHERE number = 5"
        )
        let before = try content(of: writer)
        let sound = try folder.contents(of: "log.db-wal")
        let frame = (sound.count - 32) / frameSize - 1
        for word in 300..<400 {
            var flipped = sound
            flipped[32 + frame * frameSize + 24 + word * 4 + 3] ^= 0x40
            try folder.write(flipped, to: "log.db-wal")
            let reader = try Database(path: path)
            let found = try content(of: reader)
            #expect(found == before || !reader.damagedPages.isEmpty, "word \(word)")
        }
        try folder.write(sound, to: "log.db-wal")
    }
}
