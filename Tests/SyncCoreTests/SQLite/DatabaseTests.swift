@testable import SyncCore
import Testing

@Suite struct DatabaseTests {
    private let folder: TemporaryFolder
    private let database: Database

    private struct Stop: Error, Equatable {}

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.path + "/test.db")
        try database.execute("CREATE TABLE item (number INTEGER PRIMARY KEY, value ANY) STRICT")
    }

    private func insert(_ value: SQLiteValue) throws {
        try database.run("INSERT INTO item (value) VALUES (\(value))")
    }

    private func count() throws -> Int {
        try database.first("SELECT count(*) FROM item") { Int($0.integer(0)) } ?? -1
    }

    @Test func `values come back as they were`() throws {
        for value: SQLiteValue in [
            .null, .integer(.min), .integer(.max), .real(-0.0), .real(1e300), "".sqliteValue,
            "a\0b".sqliteValue, "e\u{301}".sqliteValue, .blob([]), .blob([0, 255]),
        ] {
            try insert(value)
            let read = try database.first(
                "SELECT value FROM item WHERE number = \(database.lastInsertedRow)"
            ) { row -> SQLiteValue in
                switch value {
                case .null: row.isNull(0) ? .null : .integer(0)
                case .integer: .integer(row.integer(0))
                case .real: .real(row.real(0))
                case .text: row.text(0).sqliteValue
                case .blob: row.isNull(0) ? .null : .blob(row.blob(0))
                }
            }
            #expect(read == value)
        }
    }

    @Test func `a thrown error rolls the transaction back`() throws {
        #expect(throws: Stop()) {
            try database.write {
                try insert(.integer(1))
                throw Stop()
            }
        }
        #expect(try count() == 0)
        try database.write { try insert(.integer(1)) }
        #expect(try count() == 1)
    }

    @Test func `a write inside a read fails, and nothing of it is there`() throws {
        #expect(throws: DatabaseError.self) { try database.read { try insert(.integer(1)) } }
        #expect(try count() == 0)
        #expect(try database.read { try count() } == 0)
        try database.write { try insert(.integer(1)) }
        #expect(try database.read { try count() } == 1)
    }

    @Test func `an error of SQLite rolls back too, and says what it was`() throws {
        let error = #expect(throws: DatabaseError.self) {
            try database.write {
                try insert(.integer(1))
                try database.run("INSERT INTO item (number) VALUES (1)")
            }
        }
        #expect(error?.kind == .other)
        #expect(error?.sql?.contains("INSERT") == true)
        #expect(try count() == 0)
    }

    @Test func `a part that fails undoes itself alone`() throws {
        try database.write {
            try insert(.integer(1))
            #expect(throws: Stop()) {
                try database.savepoint {
                    try insert(.integer(2))
                    throw Stop()
                }
            }
            try database.savepoint { try insert(.integer(3)) }
        }
        #expect(try count() == 2)
    }

    @Test func `a value is bound and never read as SQL`() throws {
        let text = "'); DROP TABLE item; --"
        let none: String? = nil
        let row = try database.first("SELECT \(text), \(none), \(7) || \("a"), \(7)") {
            ($0.text(0), $0.isNull(1), $0.text(2), $0.integer(3))
        }
        #expect(row?.0 == text)
        #expect(row?.1 == true)
        #expect(row?.2 == "7a")
        #expect(row?.3 == 7)
        #expect(try count() == 0)
    }

    @Test func `two statements that one place in the code runs stay two`() throws {
        func number(_ sql: SQL) throws -> Int64? { try database.first(sql) { $0.integer(0) } }
        for value in 1...3 {
            #expect(try number("SELECT \(value) * 10") == Int64(value) * 10)
            #expect(try number("SELECT \(value) + 10") == Int64(value) + 10)
        }
    }

    @Test func `one statement is used within itself`() throws {
        for value in 1...3 { try insert(.integer(Int64(value))) }
        let sql: SQL = "SELECT value FROM item ORDER BY number"
        var pairs = 0
        try database.each(sql) { _ in
            try database.each(sql) { _ in pairs += 1 }
        }
        #expect(pairs == 9)
        #expect(try database.all(sql) { $0.integer(0) } == [1, 2, 3])
    }

    @Test func `a statement is ready again after an error in its reader`() throws {
        try insert(.integer(1))
        let sql: SQL = "SELECT value FROM item"
        #expect(throws: Stop()) { try database.each(sql) { _ in throw Stop() } }
        #expect(try database.all(sql) { $0.integer(0) } == [1])
    }

    @Test func `I8 a second connection waits for the lock, then is told that it is busy`() throws {
        let second = try Database(path: folder.path + "/test.db")
        try second.execute("PRAGMA busy_timeout=20")
        try database.write {
            try insert(.integer(1))
            let error = #expect(throws: DatabaseError.self) {
                try second.write { try second.execute("DELETE FROM item") }
            }
            #expect(error?.kind == .busy)
            #expect(try second.first("SELECT count(*) FROM item") { $0.integer(0) } == 0)
        }
        #expect(try second.first("SELECT count(*) FROM item") { $0.integer(0) } == 1)
        try second.write { try second.execute("DELETE FROM item") }
        #expect(try count() == 0)
    }

    @Test func `K7 a full disk refuses the write, and nothing of it is there`() throws {
        try insert(.integer(1))
        let pages = try database.first("PRAGMA page_count") { $0.integer(0) } ?? 0
        try database.execute("PRAGMA max_page_count=\(pages + 2)")
        let error = #expect(throws: DatabaseError.self) {
            try database.write {
                for _ in 0..<10 { try insert(.blob([UInt8](repeating: 1, count: 4096))) }
            }
        }
        #expect(error?.kind == .full)
        #expect(try count() == 1)
        let inPart = #expect(throws: DatabaseError.self) {
            try database.write {
                try database.savepoint {
                    for _ in 0..<10 { try insert(.blob([UInt8](repeating: 1, count: 4096))) }
                }
            }
        }
        #expect(inPart?.kind == .full)
        try database.execute("PRAGMA max_page_count=1000000")
        try insert(.blob([UInt8](repeating: 1, count: 40_960)))
        #expect(try count() == 2)
    }

    @Test func `what is no database is told apart`() throws {
        let error = #expect(throws: DatabaseError.self) { try Database(path: folder.path) }
        #expect(error?.kind == .cannotOpen)
    }
}
