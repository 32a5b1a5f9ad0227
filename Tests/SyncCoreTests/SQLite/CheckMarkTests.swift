import Foundation
import Testing

@testable import SyncCore

/// When a database file is read as a whole at its opening.
@Suite struct CheckMarkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path + "/a.db" }

    /// Opens the file as a replica does, and closes it again.
    private func open() throws {
        let database = try Database(path: path)
        try database.checkOnce(path, on: .system, byteLimit: 1 << 20)
        try database.execute("CREATE TABLE IF NOT EXISTS a (x)")
    }

    private var isCurrent: Bool? { CheckMark(of: path, on: .system)?.isCurrent }

    @Test func `a file is trusted until something else writes to it`() throws {
        #expect(isCurrent == false)
        try open()
        #expect(isCurrent == true)
        var bytes = try folder.contents(of: "a.db")
        bytes[4096] = 0
        try folder.write(bytes, to: "a.db")
        #expect(isCurrent == false)
        #expect(throws: DatabaseError.self) { try open() }
        #expect(isCurrent == false)
    }

    @Test func `a copy is read, and so is a file that was found damaged`() throws {
        try open()
        try folder.copy("a.db", to: "b.db")
        try folder.copy("a.db.checked", to: "b.db.checked")
        #expect(CheckMark(of: folder.path + "/b.db", on: .system)?.isCurrent == false)
        do {
            let database = try Database(path: path)
            try database.checkOnce(path, on: .system, byteLimit: 1 << 20)
            database.distrust()
        }
        #expect(isCurrent == false)
    }
}
