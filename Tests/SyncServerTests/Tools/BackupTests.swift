import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// A backup is whole, is verified, and is told of to devices only then.
@Suite struct BackupTests {
    private func mark(_ bed: ToolBed) async throws -> BackupMark? {
        let request = bed.bed.sync(from: bed.author)
        let response = try await bed.bed.respond(to: request, from: bed.author)
        return try SyncReply(decoding: response.body).spaces[0].backup
    }

    @Test func `a backup holds the log and says how far it goes`() async throws {
        let bed = try await ToolBed()
        let made = try await bed.backup()()
        let file = bed.path("backup.db")
        #expect(try made.manifest.epoch == bed.epoch() && made.manifest.time == bed.now)
        #expect(made.manifest.spaces.heads == bed.heads(sets: 3))
        #expect(try BackupManifest(in: try bed.database(file)) == made.manifest)
        #expect(try bed.log(file) == bed.log())
        let left = try names(in: bed.folder.path).filter { $0.hasPrefix("backup") }
        #expect(left == ["backup.db"])
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `a backup of a backup's store has one manifest`() async throws {
        let bed = try await ToolBed()
        _ = try await bed.backup("first.db")()
        _ = try BackupManifest(of: try bed.database(), at: bed.now)
        let later = UnixTime(milliseconds: bed.now.milliseconds + 1)
        let second = try await bed.backup("second.db", at: later)()
        #expect(try BackupManifest(in: try bed.database(bed.path("second.db"))) == second.manifest)
        #expect(second.manifest.time == later)
    }

    @Test func `devices are told how far they are in a verified backup`() async throws {
        var bed = try await ToolBed()
        #expect(try await mark(bed) == nil)
        _ = try await bed.backup()()
        let before = bed.author.person.controls
        let first = BackupMark(position: before + 3, time: bed.now)
        #expect(try await mark(bed) == first)
        try await bed.append()
        #expect(try await mark(bed) == first)
        let later = UnixTime(milliseconds: bed.now.milliseconds + 1)
        _ = try await bed.backup("later.db", at: later)()
        #expect(try await mark(bed) == BackupMark(position: before + 4, time: later))
    }

    @Test func `a backup of damaged pages, and a damaged backup, are told`() async throws {
        let bed = try await ToolBed()
        #expect(try await bed.backup("sound.db")().damagedPages.isEmpty)
        try bed.flip(3, inPage: 5)
        #expect(try await bed.backup()().damagedPages == FaultyPages(numbers: [5]))
        let file = bed.path("sound.db")
        try bed.flip(1, inPage: 4, of: file)
        let (one, two) = (try TestFolder(), try TestFolder())
        let corrected = try bed.restore(into: DataFolder(one.path))(from: file)
        #expect(corrected.correctedPages == FaultyPages(numbers: [4]))
        #expect(corrected.damagedPages.isEmpty)
        try bed.flip(2, inPage: 4, of: file)
        let damaged = try bed.restore(into: DataFolder(two.path))(from: file)
        #expect(damaged.damagedPages == FaultyPages(numbers: [4]))
    }

    @Test func `what refers to a chunk that is not there is in no backup`() async throws {
        let bed = try await ToolBed()
        try bed.database().run("DELETE FROM chunk WHERE hash = \(bed.bed.chunk.hash)")
        let made = try await bed.backup()()
        #expect(made.inspection.lackingChunks.map(\.hash) == [bed.bed.chunk.hash])
        // The first entry after the control sets names it.
        let before = bed.author.person.controls
        #expect(try await mark(bed) == BackupMark(position: before, time: bed.now))
        // The first control set names the wraps.
        try bed.database().execute("DELETE FROM chunk")
        let all = try await bed.backup("all.db")()
        let lacking = Set(all.inspection.lackingChunks.map(\.hash))
        #expect(lacking == Set(bed.chunks.map { Digest(of: $0.bytes) }))
        #expect(try await mark(bed) == BackupMark(position: 0, time: bed.now))
    }

    /// SQLite says of such a page that the disk is full.
    @Test func `a damaged store is told as one, not as a full disk`() async throws {
        let bed = try await ToolBed()
        let folder = try DataFolder(try TestFolder().path)
        let chunk = [UInt8](repeating: 0x5A, count: 20_000)
        try bed.database().run(
            """
            INSERT INTO chunk (space_id, hash, bytes)
            VALUES (\(bed.author.space), zeroblob(32), \(chunk))
            """
        )
        try bed.database().run("VACUUM INTO \(folder.store)")
        var bytes = try #require(FileManager.default.contents(atPath: folder.store))
        let page = try #require(
            stride(from: 0, to: bytes.count, by: 4096)
                .first { bytes[($0 + 4)..<($0 + 4092)].allSatisfy { $0 == 0x5A } }
        )
        // The page says that the value goes on in another one, beyond every limit.
        bytes.replaceSubrange(page..<(page + 4), with: [0x7F, 0xFF, 0xFF, 0xF0])
        try bytes.write(to: URL(filePath: folder.store))
        let keys = Author.serverKeys
        let backup = Backup(folder: folder, keys: keys, file: bed.path("b"), now: bed.now)
        let error = try await #require(throws: DatabaseError.self) { try await backup() }
        let userError = UserError(describing: error)
        #expect(userError.message.hasPrefix("store.db is damaged: "))
        for way in ["'wake-server doctor'", "restore FILE'", "restore --empty'"] {
            #expect(userError.hint?.contains(way) == true)
        }
    }

    @Test func `a file that is there is not written over`() async throws {
        let bed = try await ToolBed()
        let file = bed.path("backup.db")
        try Data([1]).write(to: URL(filePath: file))
        await #expect(throws: BackupError.exists(path: file)) { try await bed.backup()() }
        #expect(FileManager.default.contents(atPath: file) == Data([1]))
        #expect(try await mark(bed) == nil)
    }

    @Test func `a name that is taken while the copy is made is not written over`() async throws {
        let bed = try await ToolBed()
        let file = bed.path("backup.db")
        var backup = bed.backup()
        backup.begin = { step in
            guard step == .verifying else { return }
            _ = FileManager.default.createFile(atPath: file, contents: Data([1]))
        }
        await #expect(throws: BackupError.exists(path: file)) { try await backup() }
        #expect(FileManager.default.contents(atPath: file) == Data([1]))
        #expect(try !names(in: bed.folder.path).contains("backup.db.draft"))
        #expect(try await mark(bed) == nil)
    }

    @Test func `a draft that was left behind is no obstacle, one in the making is`() async throws {
        let bed = try await ToolBed()
        let draft = bed.path("backup.db.draft")
        for suffix in ["", "-wal", "-journal"] {
            try Data("SQLite format 3\0, cut".utf8).write(to: URL(filePath: draft + suffix))
        }
        _ = try await bed.backup()()
        let other = try DraftFile(bed.path("second.db.draft"))
        let backup = bed.backup("second.db")
        await #expect(throws: BackupError.beingMade(path: backup.draft)) { try await backup() }
        #expect(FileManager.default.fileExists(atPath: backup.draft))
        other.remove()
        _ = try await backup()
    }

    @Test(arguments: ["a symbolic link", "a hard link", "a foreign file"])
    func `what stands at the place of a draft and is none is left alone`(
        planted: String
    ) async throws {
        let bed = try await ToolBed()
        let (draft, victim) = (bed.path("backup.db.draft"), bed.path("victim"))
        let text = Data("SQLite format 3\0 or not".utf8)
        try text.write(to: URL(filePath: victim))
        switch planted {
        case "a symbolic link":
            try FileManager.default.createSymbolicLink(
                atPath: draft,
                withDestinationPath: victim
            )
        case "a hard link": try FileManager.default.linkItem(atPath: victim, toPath: draft)
        default: try Data("notes".utf8).write(to: URL(filePath: draft))
        }
        let before = FileManager.default.contents(atPath: draft)
        await #expect(throws: BackupError.notOurs(path: draft)) { try await bed.backup()() }
        #expect(FileManager.default.contents(atPath: draft) == before)
        #expect(FileManager.default.contents(atPath: victim) == text)
    }

    @Test func `a folder that is not there is told`() async throws {
        let bed = try await ToolBed()
        let draft = bed.path("no/backup.db.draft")
        await #expect(throws: DataFolderError.notWritable(path: draft, code: ENOENT)) {
            try await bed.backup("no/backup.db")()
        }
    }

    @Test func `a store that was restored meanwhile is not told of the copy`() async throws {
        let bed = try await ToolBed()
        var backup = bed.backup()
        let store = bed.folder.store
        backup.begin = { step in
            guard step == .verifying else { return }
            _ = try? Database(path: store).run("UPDATE server SET epoch = zeroblob(16)")
        }
        _ = try await backup()
        let told = try bed.database().first("SELECT backup_time FROM space") { $0.isNull(0) }
        #expect(told == true)
    }

    @Test func `a backup is whole while devices write`() async throws {
        let bed = try await ToolBed()
        let isOver = Locked(false)
        async let writing = Task {
            var bed = bed
            while !isOver.withLock({ $0 }) { try await bed.append() }
            return bed.author.head?.sequence ?? 0
        }.value
        var heads: [UInt64] = []
        for number in 1...8 {
            let made = try await bed.backup("\(number).db")()
            let all = made.manifest.spaces.heads
            heads.append(try #require(all[bed.author.space]))
            let count = Int(all.values.reduce(0, +))
            #expect(try bed.log(bed.path("\(number).db")).count == count)
        }
        isOver.withLock { $0 = true }
        let last = bed.author.person.controls + (try await writing)
        #expect(heads == heads.sorted() && (heads.last ?? 0) <= last)
    }
}
