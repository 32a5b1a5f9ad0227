import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// What a doctor finds, and what it mends when it is asked to.
@Suite struct DoctorTests {
    private let bed: ToolBed

    /// A server's folder with all that belongs to it, and a backup.
    init() async throws {
        bed = try await ToolBed()
        let data = bed.folder
        let key = [UInt8](repeating: 7, count: 32)
        _ = try data.makeFile(data.path + "/master.key", key.hexadecimal + "\n")
        _ = unsafe chmod(data.path, 0o700)
        try data.makeTLSIdentity()
        let tls = try TLSContext(TLSIdentity(certificate: data.certificate, key: data.key))
        try data.setAddress(ServerAddress(authority: "box.example:8300", trust: tls.trust))
        let head = bed.author.person.controls + 3
        _ = try await bed.bed.server.service.views.fingerprint(of: bed.author.space, at: head)
        _ = try await bed.backup()()
    }

    private func doctor(repairs: Bool = false, at time: UnixTime? = nil) -> Doctor {
        var doctor = bed.doctor(now: time)
        doctor.repairs = repairs
        return doctor
    }

    /// The examinations that are not well, by name.
    private func findings(
        repairs: Bool = false,
        at time: UnixTime? = nil
    ) async -> [String: Check.State] {
        let all = await doctor(repairs: repairs, at: time)().filter { $0.state != .ok }
        return Dictionary(all.map { ($0.name, $0.state) }) { first, _ in first }
    }

    @Test func `commits that the disk lost are told by the tool that opens the store first`()
        async throws
    {
        try bed.database().execute("PRAGMA wal_checkpoint(PASSIVE)")
        // Of a killed server, whose log was deleted.
        func killed() throws -> TestFolder {
            let copy = try TestFolder()
            for file in ["master.key", "store.db", "store.db-end"] {
                let bytes = try #require(FileManager.default.contents(atPath: bed.path(file)))
                try bytes.write(to: URL(filePath: copy.path + "/" + file))
            }
            return copy
        }
        let (first, second) = (try killed(), try killed())
        for isTold in [true, false] {
            let checks = await bed.doctor(of: first.path)()
            #expect(checks.contains { $0.name == "log end" && $0.state == .warning } == isTold)
        }
        for isTold in [true, false] {
            var words: [String] = []
            _ = try DataFolder(existing: second.path)
                .openExistingStore(receipts: Author.serverKeys.receiptSecret) { words.append($0) }
            #expect(words == (isTold ? ["store.db: " + SQLiteStore.lostCommits] : []))
        }
    }

    @Test func `a server that is well has nothing but good lines`() async throws {
        let before = try (bed.log(), names(in: bed.folder.path))
        let all = await doctor()()
        #expect(all.allSatisfy { $0.state == .ok }, "\(Diagnosis(all).text)")
        let expected = [
            "folder", "keys", "certificate", "server", "structure", "pages", "chains", "receipts",
            "seals", "heads", "members", "bodies", "chunks", "wanted", "views", "revocations",
            "controls",
            "backup",
            "room",
        ]
        #expect(all.map(\.name) == expected)
        #expect(Diagnosis(all).isWell)
        #expect(try bed.log() == before.0 && names(in: bed.folder.path) == before.1)
    }

    @Test(arguments: InspectionTests.damages)
    func `a changed store is trouble, and looking changes nothing`(
        damage: InspectionTests.Damage
    ) async throws {
        try bed.database().execute(damage.sql)
        let log = try bed.log()
        let found = await findings()
        for check in damage.checks { #expect(found[check.rawValue] == .trouble, "\(found)") }
        #expect(!Diagnosis(await doctor()()).isWell)
        #expect(try bed.log() == log)
    }

    @Test func `S7 a wrong chunk is dropped and asked for again`() async throws {
        try bed.database().execute("UPDATE chunk SET bytes = x'00'")
        #expect(await findings() == ["chunks": .trouble])
        #expect(await findings(repairs: true) == ["chunks": .repaired])
        #expect(await findings() == ["wanted": .warning])
        let wanted = try bed.database().all("SELECT hash FROM wanted_chunk") { $0.digest(0) }
        #expect(Set(wanted) == Set(bed.chunks.map { Digest(of: $0.bytes) }))
        #expect(wanted.count == bed.chunks.count)
        for (author, bytes) in bed.chunks {
            #expect(await findings() == ["wanted": .warning])
            try await bed.bed.server.store.putChunk(
                bytes,
                Digest(of: bytes),
                in: author.space,
                for: author.device
            )
        }
        #expect(await findings() == [:])
    }

    @Test func `a damaged record of a newest set is read again from the log`() async throws {
        try bed.database().execute("UPDATE replica_head SET controls = controls + 1")
        #expect(await findings() == ["heads": .trouble])
        #expect(await findings(repairs: true) == ["heads": .repaired])
        #expect(await findings() == [:])
    }

    @Test func `pages that do not match their checksum are named, and written anew`() async throws {
        try bed.flip(1, inPage: 3)
        let corrected = try #require(await doctor()().first { $0.name == "pages" })
        #expect(corrected.state == .warning && corrected.finding.contains("page 3"))
        try bed.flip(3, inPage: 5)
        let damaged = try #require(await doctor()().first { $0.name == "pages" })
        #expect(damaged.state == .trouble && damaged.finding.contains("page 5 does not match"))
        #expect(await findings(repairs: true) == ["pages": .repaired])
        #expect(await findings() == [:])
    }

    @Test func `damaged pages are not written anew while the server runs`() async throws {
        try bed.flip(3, inPage: 5)
        let lock = try bed.folder.lock(willListen: true)
        #expect(await findings(repairs: true)["pages"] == .trouble)
        withExtendedLifetime(lock) {}
    }

    @Test func `a chunk that nobody was asked for is asked for`() async throws {
        try bed.database().execute("DELETE FROM chunk")
        #expect(await findings() == ["wanted": .trouble])
        #expect(await findings(repairs: true) == ["wanted": .repaired])
        #expect(await findings() == ["wanted": .warning])
    }

    @Test(arguments: [
        "UPDATE row SET base = x''", "UPDATE space SET fingerprint = zeroblob(32)",
        "UPDATE space SET chain = zeroblob(32), position = 1", "DROP TABLE row",
    ])
    func `a view that is not what the log gives is found and made anew`(
        sql: String
    ) async throws {
        let view = "\(bed.folder.views)/\(bed.author.space).db"
        try bed.database(view).execute(sql)
        #expect(await findings() == ["views": .trouble])
        #expect(await findings(repairs: true) == ["views": .repaired])
        #expect(!FileManager.default.fileExists(atPath: view))
        #expect(await findings() == [:])
    }

    @Test func `a revocation that cannot be read is trouble, and stays`() async throws {
        try "1j3p0z7c\n".write(
            toFile: bed.folder.revocationsFile,
            atomically: true,
            encoding: .utf8
        )
        #expect(await findings() == ["revocations": .trouble])
        #expect(await findings(repairs: true) == ["revocations": .trouble])
    }

    @Test func `a device that was revoked and is let in is shut out`() async throws {
        try bed.folder.appendRevocations(of: [bed.author.device])
        #expect(await findings() == ["revocations": .trouble])
        #expect(await findings(repairs: true) == ["revocations": .repaired])
        #expect(try await bed.bed.server.store.device(bed.author.device)?.isRevoked == true)
        #expect(await findings() == [:])
    }

    @Test func `files that others can read are told of`() async throws {
        _ = unsafe chmod(bed.folder.path, 0o755)
        #expect(await findings() == ["folder": .warning])
        for file in ["master.key", "tls.key"] {
            _ = unsafe chmod(bed.path(file), 0o640)
            #expect(await findings()["keys"] == .trouble)
            _ = unsafe chmod(bed.path(file), 0o600)
        }
    }

    @Test func `a key that is lost, damaged or another server's is told of`() async throws {
        let key = URL(filePath: bed.path("master.key"))
        try Data((String(repeating: "08", count: 32) + "\n").utf8).write(to: key)
        _ = unsafe chmod(key.path(), 0o600)
        let found = await findings()
        #expect(found["receipts"] == .trouble && found["seals"] == .trouble)
        try Data("x".utf8).write(to: key)
        #expect(await findings()["folder"] == .trouble)
        try FileManager.default.removeItem(at: key)
        #expect(await findings()["folder"] == .trouble)
    }

    @Test func `a certificate is looked at`() async throws {
        try bed.folder.setAddress(
            ServerAddress(authority: "box.example:8300", trust: .pinned(Digest(of: [1])))
        )
        #expect(await findings() == ["certificate": .warning])
        try Data("x".utf8).write(to: URL(filePath: bed.path("tls.crt")))
        #expect(await findings() == ["certificate": .trouble])
    }

    @Test func `a backup that is missing or old is told of`() async throws {
        let week = UnixTime(milliseconds: bed.now.milliseconds + 7 * 86_400_000)
        #expect(await findings(at: week) == ["backup": .warning])
        #expect(await findings(at: UnixTime(milliseconds: week.milliseconds - 1)) == [:])
        try bed.database().execute("UPDATE space SET backup_time = NULL")
        #expect(await findings() == ["backup": .warning])
    }

    @Test func `a store that is damaged, older, newer or lost is told of`() async throws {
        let folder = try TestFolder()
        for name in ["master.key", "authority"] {
            try FileManager.default.copyItem(
                atPath: bed.path(name),
                toPath: folder.path + "/" + name
            )
        }
        _ = unsafe chmod(folder.path, 0o700)
        let store = folder.path + "/store.db"
        func states() async -> [String: Check.State] {
            let all = await bed.doctor(of: folder.path)().filter { $0.state != .ok }
            return Dictionary(all.map { ($0.name, $0.state) }) { first, _ in first }
        }
        #expect(await states() == ["store": .trouble])
        try Data("no database at all".utf8).write(to: URL(filePath: store))
        #expect(await states() == ["structure": .trouble])
        try FileManager.default.removeItem(atPath: store)
        try bed.database().run("VACUUM INTO \(store)")
        let older = SQLiteStore.migrations.scripts.count - 1
        for (version, state) in [(older, Check.State.warning), (99, .trouble)] {
            try bed.database(store).execute("PRAGMA user_version=\(version)")
            #expect(await states() == ["structure": state])
        }
    }

    @Test func `accepted sets without a body are told`() async throws {
        try bed.database().run(
            """
            UPDATE log SET body = NULL WHERE rowid = (SELECT max(rowid) FROM log
                WHERE verdict = 0 AND body IS NOT NULL AND substr(upload, 1, 1) = x'd1')
            """
        )
        #expect(await findings()["bodies"] == .warning)
    }

    /// Changes the table of devices without one of its indexes.
    private func change(besidesIndex sql: SQL) throws {
        let database = try bed.database()
        try database.execute("PRAGMA writable_schema=ON")
        let index = try #require(
            try database.first("SELECT sql FROM sqlite_schema WHERE name = 'device_user'") {
                $0.text(0)
            }
        )
        try database.run(
            "UPDATE sqlite_schema SET sql = \(index + " WHERE 0") WHERE name = 'device_user'"
        )
        try bed.database().run(sql)
        try database.run("UPDATE sqlite_schema SET sql = \(index) WHERE name = 'device_user'")
    }

    @Test func `a damaged index is rebuilt, and nothing else of the store changes`() async throws {
        let before = try bed.log()
        // The server goes on meanwhile: an index that lacks a row is not read for it.
        try change(besidesIndex: "UPDATE device SET enrolled = enrolled + 1")
        let trouble = try #require(await doctor()().first { $0.name == "structure" })
        #expect(trouble.state == .trouble)
        #expect(trouble.advice?.hasPrefix("'wake-server doctor --repair' rebuilds") == true)
        #expect(await findings(repairs: true) == ["indexes": .repaired])
        #expect(await findings().isEmpty)
        #expect(try bed.log() == before)
    }

    @Test func `an index that knows a lost row is not rebuilt`() async throws {
        let row: SQL = "DELETE FROM device WHERE rowid = (SELECT max(rowid) FROM device)"
        try change(besidesIndex: row)
        for _ in 0..<2 {
            let found = await findings(repairs: true)
            #expect(found == ["indexes": .trouble, "structure": .trouble])
        }
    }

    @Test func `a server that runs is seen and not disturbed`() async throws {
        let lock = try bed.folder.lock()
        defer { withExtendedLifetime(lock) {} }
        #expect(await doctor()().contains(.ok("server", "running")))
        // What it has open stays.
        let view = "\(bed.folder.views)/\(bed.author.space).db"
        try bed.database(view).execute("UPDATE row SET base = x''")
        #expect(await findings(repairs: true) == ["views": .trouble])
        #expect(FileManager.default.fileExists(atPath: view))
    }

    @Test func `a line says how it is and what to do`() {
        let diagnosis = Diagnosis([
            .ok("a", "b"), .trouble("room", "the disk is full", "free disk space"),
        ])
        #expect(
            diagnosis.text == """
                ok       a            b
                trouble  room         the disk is full
                                      free disk space

                """
        )
        #expect(
            diagnosis.json.compact == """
                {"checks":[{"name":"a","state":"ok","text":"b"},{"name":"room",\
                "remedy":"free disk space","state":"trouble","text":"the disk is full"}],"isWell":false}
                """
        )
    }
}
