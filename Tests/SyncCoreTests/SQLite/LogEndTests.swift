import SimulatedDisk
@testable import SyncCore
import Testing

/// The end of SQLite's write-ahead log, cut, damaged or removed after a process was killed.
@Suite struct LogEndTests {
    private let folder: TemporaryFolder
    private let frameSize = 4096 + 24

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/log.db" }

    private func open(_ durability: Database.Durability = .full) throws -> Database {
        let database = try Database(path: path, durability: durability)
        try database.execute("CREATE TABLE IF NOT EXISTS t (number INTEGER PRIMARY KEY) STRICT")
        return database
    }

    private func insert(_ numbers: Range<Int64>, into database: Database) throws {
        for number in numbers { try database.run("INSERT INTO t (number) VALUES (\(number))") }
    }

    /// Opens the files as they are; returns the number of rows, and whether commits are known to be lost.
    private func found() throws -> (rows: Int64, isLost: Bool) {
        let database = try Database(path: path)
        let rows = try database.first("SELECT count(*) FROM t") { $0.integer(0) }
        database.keepLog()
        return (rows ?? 0, database.hasLostCommits)
    }

    /// Leaves the files of a killed process: five rows in the database, five more in its log.
    private func makeKilled(checkpoint: String = "TRUNCATE") throws {
        let database = try open()
        try insert(0..<5, into: database)
        try database.execute("PRAGMA wal_checkpoint(\(checkpoint))")
        try insert(5..<10, into: database)
        database.keepLog()
    }

    private var log: [UInt8] { get throws { try folder.contents(of: "log.db-wal") } }

    @Test func `a log that lost its end is known to have lost commits`() throws {
        try makeKilled()
        let (database, log) = (try folder.contents(of: "log.db"), try log)
        let end = try folder.contents(of: "log.db-end")
        var garbled = log
        for byte in log.count - 3000..<log.count { garbled[byte] ^= 0x5a }
        let damages: [(log: [UInt8]?, rows: Int64)] = [
            (log, 10),
            (Array(log.dropLast(frameSize)), 9),
            (Array(log.dropLast(1)), 9),
            (garbled, 9),
            (Array(log.prefix(32 + frameSize)), 6),
            (Array(log.prefix(32)), 5),
            ([UInt8](repeating: 0, count: log.count), 5),
            ([], 5),
            (nil, 5),
        ]
        for (number, damage) in damages.enumerated() {
            folder.remove("log.db-wal")
            try folder.write(database, to: "log.db")
            try folder.write(end, to: "log.db-end")
            if let log = damage.log { try folder.write(log, to: "log.db-wal") }
            let found = try found()
            #expect(found == (damage.rows, damage.rows < 10), "damage \(number)")
        }
    }

    @Test func `a log that was begun anew loses its end before frames of the old one`() throws {
        try makeKilled(checkpoint: "RESTART")
        var log = try log
        #expect(log.count > 32 + 5 * frameSize)
        for byte in 32 + 4 * frameSize..<32 + 5 * frameSize { log[byte] ^= 0x5a }
        try folder.write(log, to: "log.db-wal")
        #expect(try found() == (9, true))
    }

    @Test func `a log that SQLite emptied or began anew has lost nothing`() throws {
        for (number, checkpoint) in zip((0 as Int64)..., ["PASSIVE", "RESTART", "TRUNCATE"]) {
            do {
                let database = try open()
                try insert(number * 5..<number * 5 + 4, into: database)
                try database.execute("PRAGMA wal_checkpoint(\(checkpoint))")
                if number % 2 == 0 { try insert(number * 5 + 4..<number * 5 + 5, into: database) }
                database.keepLog()
            }
            #expect(try found().isLost == false, "\(checkpoint)")
        }
        do { try insert(20..<23, into: open()) }
        #expect(!folder.contains("log.db-end") && !folder.contains("log.db-wal"))
        #expect(try found() == (17, false))
    }

    @Test func `frames that a checkpoint moved are missed, as earlier ones hide what was moved`()
        throws
    {
        _ = try marks(0..<10, checkpoint: "PASSIVE")
        try folder.write(Array(log.dropLast(frameSize)), to: "log.db-wal")
        #expect(try found() == (9, true))
    }

    @Test func `a log that is older than the mark has lost commits`() throws {
        var old: [UInt8] = []
        do {
            let database = try open()
            try insert(0..<5, into: database)
            try database.execute("PRAGMA wal_checkpoint(RESTART)")
            old = try log
            try insert(5..<8, into: database)
            database.keepLog()
        }
        // The disk lost the header of the new log, with all that it wrote there.
        try folder.write(old, to: "log.db-wal")
        #expect(try found().isLost)
    }

    @Test func `a power failure while a log is begun anew is no loss`() throws {
        for seed in 0..<60 as Range<UInt64> {
            let disk = Disk(seed: seed)
            let volume = disk.volume { $0() }
            do {
                let database = try Database(path: "log.db", on: volume)
                try database.execute("CREATE TABLE t (number INTEGER PRIMARY KEY) STRICT")
                for _ in 0..<4 { try database.run("INSERT INTO t DEFAULT VALUES") }
                // Of several commits in a log with a torn header nobody knows that they were moved.
                try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                try database.run("INSERT INTO t DEFAULT VALUES")
                try database.execute("PRAGMA wal_checkpoint(RESTART)")
                disk.arm(after: Int64(seed % 6))
                _ = try? database.run("INSERT INTO t DEFAULT VALUES")
                database.keepLog()
            }
            disk.start(lostPower: true)
            let database = try Database(path: "log.db", on: volume)
            let rows = try database.first("SELECT count(*) FROM t") { $0.integer(0) }
            #expect((5...6).contains(rows ?? 0) && !database.hasLostCommits, "seed \(seed)")
        }
    }

    @Test func `the mark of a database that was removed does not count for a new one`() throws {
        _ = try marks(0..<5)
        for file in ["log.db", "log.db-wal", "log.db-shm"] { folder.remove(file) }
        do {
            let database = try open()
            try insert(0..<2, into: database)
            #expect(!database.hasLostCommits)
        }
        #expect(try found() == (2, false))
    }

    @Test func `a commit that a full disk refuses is not marked`() throws {
        for bytes in stride(from: 0, to: 40_000, by: 900) {
            let disk = Disk(seed: UInt64(bytes))
            let volume = disk.volume { $0() }
            do {
                let database = try Database(path: "log.db", on: volume)
                try database.execute(
                    "CREATE TABLE t (number INTEGER PRIMARY KEY, bytes BLOB) STRICT"
                )
                try database.run("INSERT INTO t (bytes) VALUES (zeroblob(9000))")
                disk.setRoom(Int64(bytes))
                _ = try? database.run("INSERT INTO t (bytes) VALUES (zeroblob(20000))")
            }
            let database = try Database(path: "log.db", on: volume)
            let rows = try database.first("SELECT count(*) FROM t") { $0.integer(0) }
            #expect((1...2).contains(rows ?? 0))
            #expect(!database.hasLostCommits, "\(bytes) bytes of room")
        }
    }

    @Test func `a mark that is older than the log, or damaged, shows no loss`() throws {
        let old = try marks(0..<5)
        let end = try marks(5..<10)
        let log = try log
        try folder.write(old, to: "log.db-end")
        #expect(try found() == (10, false))
        try folder.write(Array(log.dropLast(frameSize)), to: "log.db-wal")
        for bit in 0..<end.count * 8 {
            var flipped = end
            flipped[bit / 8] ^= 1 << (bit % 8)
            try folder.write(flipped, to: "log.db-end")
            #expect(try found() == (9, false), "bit \(bit)")
        }
        try folder.write(end, to: "log.db-end")
        #expect(try found() == (9, true))
    }

    /// Inserts rows as a process that is killed; returns the mark.
    private func marks(_ numbers: Range<Int64>, checkpoint: String? = nil) throws -> [UInt8] {
        let database = try open()
        try insert(numbers, into: database)
        if let checkpoint { try database.execute("PRAGMA wal_checkpoint(\(checkpoint))") }
        database.keepLog()
        return try folder.contents(of: "log.db-end")
    }

    @Test func `each of several connections marks the end`() throws {
        do {
            let (first, second) = (try open(), try open())
            for number in 0..<6 as Range<Int64> {
                try insert(number..<number + 1, into: number % 2 == 0 ? first : second)
            }
            for database in [first, second] { database.keepLog() }
        }
        try folder.write(Array(log.dropLast(frameSize)), to: "log.db-wal")
        #expect(try found() == (5, true))
    }

    @Test func `a loss is known once, until the next commit`() throws {
        try makeKilled()
        try folder.write(Array(log.dropLast(frameSize)), to: "log.db-wal")
        do {
            let database = try open()
            #expect(database.hasLostCommits)
            try insert(20..<21, into: database)
            database.keepLog()
        }
        #expect(try found() == (10, false))
    }

    @Test func `a file whose commits do not wait for the disk has no mark`() throws {
        let database = try open(.normal)
        try insert(0..<5, into: database)
        try database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        #expect(folder.contains("log.db-wal") && !folder.contains("log.db-end"))
    }
}
