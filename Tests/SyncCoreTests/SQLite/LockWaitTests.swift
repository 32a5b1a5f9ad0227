import Synchronization
import Testing

@testable import SyncCore

/// Two connections to one file, of which one writes.
@Suite struct LockWaitTests {
    private let folder: TemporaryFolder
    private let writer: Writer

    /// Holds the lock for writing until it commits.
    private final class Writer: Sendable {
        private let database: Mutex<Database?>

        init(path: String) throws {
            let database = try Database(path: path)
            try database.execute("CREATE TABLE item (number INTEGER PRIMARY KEY) STRICT")
            try database.execute("BEGIN IMMEDIATE")
            self.database = Mutex(database)
        }

        func commit() throws {
            try database.withLock { try $0?.execute("COMMIT") }
        }
    }

    /// What a wait did.
    private final class Record: Sendable {
        let pauses = Mutex(0)
        let tellings = Mutex(0)

        /// A wait that takes no time, and calls `paused` with the number of pauses so far.
        func wait(
            limitMilliseconds: Int,
            paused: @escaping @Sendable (Int) -> Void = { _ in }
        ) -> LockWait {
            var wait = LockWait(limitMilliseconds: limitMilliseconds) {
                self.tellings.withLock { $0 += 1 }
            }
            wait.sleep = { milliseconds in
                #expect(milliseconds == 10)
                paused(
                    self.pauses.withLock { pauses in
                        pauses += 1
                        return pauses
                    }
                )
            }
            return wait
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        writer = try Writer(path: folder.path + "/test.db")
    }

    private func insert(_ wait: LockWait) throws {
        let other = try Database(path: folder.path + "/test.db", lockWait: wait)
        try other.write { _ = try other.run("INSERT INTO item VALUES (1)") }
    }

    @Test func `a statement fails after the limit and reports the wait once`() {
        let record = Record()
        let error = #expect(throws: DatabaseError.self) {
            try insert(record.wait(limitMilliseconds: 3000))
        }
        #expect(error?.kind == .busy)
        #expect(record.pauses.withLock { $0 } == 300)
        #expect(record.tellings.withLock { $0 } == 1)
    }

    @Test(arguments: [(100, 0), (101, 1)])
    func `it goes on as soon as the other has written`(pauses: Int, tellings: Int) throws {
        let record = Record()
        let writer = writer
        let wait = record.wait(limitMilliseconds: 60_000) { count in
            if count == pauses { #expect(throws: Never.self) { try writer.commit() } }
        }
        try insert(wait)
        #expect(record.pauses.withLock { $0 } == pauses)
        #expect(record.tellings.withLock { $0 } == tellings)
    }

    @Test func `without patience it fails at once`() {
        let record = Record()
        #expect(throws: DatabaseError.self) { try insert(record.wait(limitMilliseconds: 0)) }
        #expect(record.pauses.withLock { $0 } == 0)
    }
}
