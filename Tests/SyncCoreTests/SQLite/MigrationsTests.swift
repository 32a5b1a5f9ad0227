@testable import SyncCore
import Testing

@Suite struct MigrationsTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.path + "/test.db")
    }

    @Test func `each step is taken once, in order`() throws {
        try Migrations(mark: "a", ["CREATE TABLE a (x INTEGER) STRICT"]).migrate(database)
        let both = Migrations(
            mark: "a",
            [
                "CREATE TABLE a (x INTEGER) STRICT", "ALTER TABLE a ADD COLUMN y INTEGER",
            ]
        )
        try both.migrate(database)
        try both.migrate(database)
        #expect(try database.userVersion() == 2)
        try database.run("INSERT INTO a (x, y) VALUES (1, 2)")
    }

    @Test func `V4 a step that fails leaves the file as it was`() throws {
        let broken = Migrations(
            mark: "a",
            [
                "CREATE TABLE a (x INTEGER) STRICT", "CREATE TABLE b (x INTEGER) STRICT; NONSENSE",
            ]
        )
        #expect(throws: DatabaseError.self) { try broken.migrate(database) }
        #expect(try database.userVersion() == 1)
        #expect(throws: DatabaseError.self) { try database.execute("SELECT * FROM b") }
        try Migrations(mark: "a", ["", "CREATE TABLE b (x INTEGER) STRICT"]).migrate(database)
        #expect(try database.userVersion() == 2)
    }

    @Test func `a file of another program is refused untouched`() throws {
        try database.execute("CREATE TABLE theirs (x INTEGER)")
        #expect(throws: MigrationError.foreign) {
            try Migrations(mark: "a", ["CREATE TABLE a (x INTEGER) STRICT"]).migrate(database)
        }
        #expect(try database.userVersion() == 0)
    }

    @Test func `a file of a newer program is refused untouched`() throws {
        try database.execute("PRAGMA user_version=3")
        #expect(throws: MigrationError.newer(version: 3, known: 1)) {
            try Migrations(mark: "a", ["CREATE TABLE a (x INTEGER) STRICT"]).migrate(database)
        }
        #expect(try database.userVersion() == 3)
        #expect(throws: DatabaseError.self) { try database.execute("SELECT * FROM a") }
    }

    @Test func `a replica that a newer program wrote is not opened`() async throws {
        let device = try TestDevice(1)
        try await device.replica.damage("PRAGMA user_version=99")
        #expect(throws: MigrationError.self) { try device.restart() }
    }
}
