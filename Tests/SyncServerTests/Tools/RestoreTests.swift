import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// A backup that is put back is whole, is a new epoch, and nothing that was there is lost.
@Suite struct RestoreTests {
    private let home = FileManager.default

    /// A bed whose server has ended, with a backup of its first three sets.
    private func closedBed(sets: Int = 5) async throws -> (ToolBed, TestFolder, [[UInt8]]) {
        let folder: TestFolder
        let bed = try await ToolBed()
        _ = try await bed.backup()()
        let log = try bed.log()
        // The server's own connections stay open in this process, so it works on a copy.
        folder = try TestFolder()
        var longer = bed
        for _ in 3..<sets { try await longer.append() }
        try bed.database().run("VACUUM INTO \(folder.path + "/store.db")")
        return (longer, folder, log)
    }

    @Test func `S1 a restored store has the backup's log under a new epoch`() async throws {
        let (bed, folder, log) = try await closedBed()
        let data = try DataFolder(folder.path)
        let before = try bed.log(data.store)
        let epoch = try bed.epoch(data.store)
        try Data([1]).write(to: URL(filePath: data.views + "/view.db"))
        let done = try bed.restore(into: data)(from: bed.path("backup.db"))
        #expect(done.time == bed.now && done.spaces.heads == bed.heads(sets: 3))
        #expect(try bed.log(data.store) == log && bed.epoch(data.store) == ToolBed.newEpoch)
        let aside = try #require(done.aside)
        #expect(aside == data.store + ".before-restore-2026-04-24T030640Z")
        #expect(try bed.log(aside) == before && before.count == bed.entryCount(sets: 5))
        #expect(try bed.epoch(aside) == epoch)
        #expect(try names(in: data.views).isEmpty)
        let left = try names(in: data.path).filter { $0.contains("restoring") }
        #expect(left.isEmpty)
        let mark = try bed.database(data.store).first(
            "SELECT backed_up, backup_time FROM space"
        ) { $0.integer(0) == 0 && $0.isNull(1) }
        #expect(mark == true)
    }

    @Test func `a server goes on where the backup ends`() async throws {
        let (bed, folder, log) = try await closedBed()
        let data = try DataFolder(folder.path)
        _ = try bed.restore(into: data)(from: bed.path("backup.db"))
        let store = try await data.openStore(Author.serverKeys)
        #expect(store.epoch == ToolBed.newEpoch)
        var author = bed.bed.author
        for _ in 1..<3 { _ = try author.next() }
        let result = try await store.append(
            [try author.push()],
            to: author.space,
            by: author.row,
            at: bed.now
        )
        let position = author.person.controls + 4
        #expect(result == [.judged(position: position, .accepted, reason: "")])
        let views = Views(store: store, folder: data.views)
        #expect(try await views.fingerprint(of: author.space, at: position) != nil)
        #expect(try bed.log(data.store).dropLast() == log[...])
        let inspection = try Inspection(
            of: SQLiteSnapshot(database: try bed.database(data.store)),
            keys: Author.serverKeys
        )
        #expect(inspection.findings.isEmpty)
    }

    @Test func `a folder whose disk was wiped takes a backup`() async throws {
        let (bed, _, log) = try await closedBed()
        let folder = try TestFolder()
        let lack = DataFolderError.noKeyYet(path: folder.path + "/master.key")
        #expect(throws: lack) { try DataFolder(withKeyAt: folder.path) }
        #expect(
            UserError(describing: lack).hint?.hasPrefix("copy master.key and tls.key into")
                == true
        )
        try Data().write(to: URL(filePath: folder.path + "/master.key"))
        let data = try DataFolder(withKeyAt: folder.path)
        let done = try bed.restore(into: data)(from: bed.path("backup.db"))
        #expect(done.aside == nil)
        #expect(try bed.log(data.store) == log)
        #expect(try names(in: folder.path) == ["store.db", "views", "master.key"])
    }

    @Test func `a folder that does not say who was revoked is told of`() async throws {
        let (bed, folder, _) = try await closedBed()
        let key = [UInt8](repeating: 0x37, count: 64)
        try Data(key).write(to: URL(filePath: folder.path + "/master.key"))
        unsafe chmod(folder.path + "/master.key", 0o600)
        let words = ["restore", "--empty", "--data", folder.path]
        let told = await ProgramRun(words)
        #expect(told.code == .success && told.errors.contains("/revocations is missing"))
        try DataFolder(folder.path).appendRevocations(of: [bed.author.device])
        #expect(await !ProgramRun(words).errors.contains("is missing"))
    }

    @Test func `S12 an old backup brings no revoked device back`() async throws {
        let (bed, folder, _) = try await closedBed()
        let data = try DataFolder(folder.path)
        try data.appendRevocations(of: [bed.author.device])
        _ = try bed.restore(into: data)(from: bed.path("backup.db"))
        let revoked = try bed.database(data.store).first(
            "SELECT revoked FROM device WHERE device_id = \(bed.author.device)"
        ) { $0.integer(0) }
        #expect(revoked == 1)
    }

    @Test func `S7 a chunk that the backup lacks is wanted`() async throws {
        let bed = try await ToolBed()
        try bed.database().execute("DELETE FROM chunk")
        _ = try await bed.backup()()
        let folder = try TestFolder()
        let data = try DataFolder(folder.path)
        let done = try bed.restore(into: data)(from: bed.path("backup.db"))
        #expect(done.lackingChunks == bed.chunks.count)
        let wanted = try bed.database(data.store).all("SELECT hash FROM wanted_chunk") {
            $0.digest(0)
        }
        #expect(Set(wanted) == Set(bed.chunks.map { Digest(of: $0.bytes) }))
        #expect(wanted.count == bed.chunks.count)
    }

    @Test func `a store without a manifest is taken with the log beside it`() async throws {
        let bed = try await ToolBed()
        let folder = try TestFolder()
        let copy = bed.path("copy.db")
        for suffix in ["", "-wal"] {
            try home.copyItem(atPath: bed.folder.store + suffix, toPath: copy + suffix)
        }
        let data = try DataFolder(folder.path)
        let done = try bed.restore(into: data)(from: copy)
        #expect(done.time == nil && done.spaces.heads == bed.heads(sets: 3))
        #expect(try bed.log(data.store) == bed.log())
        // The copy stays as it was: its log is still beside it.
        #expect(home.contents(atPath: copy) == home.contents(atPath: bed.folder.store))
    }

    @Test(arguments: InspectionTests.damages)
    func `a backup that was changed is refused, and nothing else is changed`(
        damage: InspectionTests.Damage
    ) async throws {
        let (bed, folder, _) = try await closedBed()
        let data = try DataFolder(folder.path)
        let before = try (bed.log(data.store), bed.epoch(data.store), names(in: data.path))
        try bed.database(bed.path("backup.db")).execute(damage.sql)
        #expect(throws: BackupError.self) {
            try bed.restore(into: data)(from: bed.path("backup.db"))
        }
        #expect(try bed.log(data.store) == before.0 && bed.epoch(data.store) == before.1)
        #expect(try names(in: data.path) == before.2)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a flipped byte is found, or was of no account`(seed: UInt64) async throws {
        let bed = try await ToolBed()
        _ = try await bed.backup()()
        var generator = SplitMix64(seed: seed)
        let file = URL(filePath: bed.path("backup.db"))
        let whole = try Data(contentsOf: file)
        let log = try bed.log()
        for _ in 0..<50 {
            var bytes = whole
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] ^= UInt8.random(in: 1...255, using: &generator)
            try bytes.write(to: file)
            let folder = try TestFolder()
            let data = try DataFolder(folder.path)
            do {
                _ = try bed.restore(into: data)(from: file.path())
                #expect(try bed.log(data.store) == log, "byte \(index)")
            } catch is BackupError {
                // The version of the schema is one byte of many.
                #expect(try names(in: data.path) == ["views"], "byte \(index)")
            }
        }
    }

    @Test func `another server's backup is refused`() async throws {
        let (bed, folder, _) = try await closedBed()
        let data = try DataFolder(folder.path)
        let keys = ServerKeys(master: Secret(bytes: [UInt8](repeating: 8, count: 32)))
        #expect(throws: BackupError.self) {
            try bed.restore(into: data, keys: keys)(from: bed.path("backup.db"))
        }
        #expect(try bed.log(data.store).count == bed.entryCount(sets: 5))
    }

    @Test(arguments: ["", "CREATE TABLE song (name TEXT)"])
    func `a database that is no backup is told by its name, and nothing is changed`(
        sql: String
    ) async throws {
        let (bed, folder, _) = try await closedBed()
        let data = try DataFolder(folder.path)
        let file = bed.path("songs.db")
        let before = try (bed.epoch(data.store), names(in: data.path))
        // An empty database has one page too.
        try bed.database(file).execute("CREATE TABLE t (a); DROP TABLE t; \(sql)")
        let error = try #require(throws: BackupError.self) {
            try bed.restore(into: data)(from: file)
        }
        #expect(error == .notRestorable(path: file, .foreign))
        let userError = UserError(describing: error)
        #expect(userError.message.hasPrefix("\(file) is not a backup of a wake-server"))
        #expect(userError.hint?.hasPrefix("nothing was changed; use the file") == true)
        #expect(try bed.epoch(data.store) == before.0 && names(in: data.path) == before.1)
    }

    @Test func `a newer program's backup is told by its name`() async throws {
        let (bed, folder, _) = try await closedBed()
        let file = bed.path("backup.db")
        try bed.database(file).execute("PRAGMA user_version=99")
        let error = try #require(throws: BackupError.self) {
            try bed.restore(into: try DataFolder(folder.path))(from: file)
        }
        #expect(UserError(describing: error).message.hasPrefix("\(file) has version 99; "))
    }

    @Test func `a store that another program has open stays`() async throws {
        let (bed, folder, _) = try await closedBed()
        let data = try DataFolder(folder.path)
        let other = try bed.database(data.store)
        _ = try other.first("PRAGMA journal_mode=WAL") { $0.text(0) }
        _ = try other.first("SELECT count(*) FROM log") { $0.integer(0) }
        #expect(throws: BackupError.storeInUse(path: data.store)) {
            try bed.restore(into: data)(from: bed.path("backup.db"))
        }
        #expect(try bed.log(data.store).count == bed.entryCount(sets: 5))
    }

    @Test(arguments: ["", "rubbish"])
    func `a store that cannot be read is kept with its log`(text: String) async throws {
        let bed = try await ToolBed()
        _ = try await bed.backup()()
        let folder = try TestFolder()
        let data = try DataFolder(folder.path)
        try Data(text.utf8).write(to: URL(filePath: data.store))
        try Data("log".utf8).write(to: URL(filePath: data.store + "-wal"))
        let aside = try #require(try bed.restore(into: data)(from: bed.path("backup.db")).aside)
        #expect(home.contents(atPath: aside + "-wal") == Data("log".utf8))
        #expect(text.isEmpty || home.contents(atPath: aside) == Data(text.utf8))
        #expect(try bed.log(data.store) == bed.log())
    }

    @Test func `an empty store knows nobody but who was revoked`() async throws {
        let (bed, folder, _) = try await closedBed()
        let data = try DataFolder(folder.path)
        try data.appendRevocations(of: [bed.author.device])
        let done = try bed.restore(into: data).empty()
        #expect(done.spaces.isEmpty && done.aside != nil)
        let store = try await data.openStore(Author.serverKeys)
        #expect(store.epoch == ToolBed.newEpoch)
        #expect(try await store.device(bed.author.device) == nil)
        let revoked = try bed.database(data.store).all("SELECT device_id FROM revocation") {
            $0.id(0)
        }
        #expect(revoked == [bed.author.device])
        let aside: String = try #require(done.aside)
        #expect(try bed.log(aside).count == bed.entryCount(sets: 5))
    }

    @Test func `a name that is none is told`() async throws {
        let bed = try await ToolBed()
        let folder = try TestFolder()
        let data = try DataFolder(folder.path)
        for name in ["nothing.db", "views"] {
            #expect(throws: (any Error).self) {
                try bed.restore(into: data)(from: bed.path(name))
            }
        }
        #expect(try names(in: data.path) == ["views"])
    }
}
