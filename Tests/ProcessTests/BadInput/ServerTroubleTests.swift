import Foundation
import Harness
import SyncCore
import Testing

/// What stands in a server's way: each is told with the way out.
@Suite(.processes) struct ServerTroubleTests {
    private func serve(_ site: Site, _ words: String...) async throws -> Outcome {
        let start = ["serve", "--health", "none"]
        return try await site.start(BuiltProgram.server.path, start + words).finish()
    }

    @Test func `a folder that is none is told, and nothing is made`() async throws {
        let site = try Site()
        let file = try site.file("file", "text")
        for (folder, words) in [
            (file, "cannot write \(file): not a directory"),
            ("/proc/wake", "cannot write /proc/wake: no such file or directory"),
            ("", "--data is missing"),
        ] {
            let outcome = try await serve(site, "--data", folder, "--listen", "127.0.0.1:0")
            #expect(outcome.code == (folder.isEmpty ? 2 : 1), "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        let missing = site.path + "/missing"
        let invite = try await site.start(
            BuiltProgram.server.path,
            ["invite", "ann", "--data", missing]
        ).finish()
        #expect(invite.code == 1 && invite.errors.contains("no server has run on \(missing)"))
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test(
        arguments: [
            ("192.0.2.1:8300", Int32(1), "this machine has no such address"),
            ("no.invalid:8300", 1, "the host name cannot be resolved"),
            ("127.0.0.1:99999", 2, "is not host:port"),
        ]
    )
    func `an address that cannot be listened on is told`(
        address: String,
        code: Int32,
        words: String
    ) async throws {
        let site = try Site()
        let outcome = try await serve(site, "--data", site.path + "/s", "--listen", address)
        #expect(outcome.code == code && outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(arguments: ["", "  ", "a\nb", "a\u{1B}[31m", String(repeating: "a", count: 201)])
    func `a person's name can be seen, and is one line`(name: String) async throws {
        let site = try Site()
        let outcome = try await site.start(
            BuiltProgram.server.path,
            ["invite", name, "--data", site.path]
        ).finish()
        #expect(outcome.code == 2 && outcome.errors.contains("a name has 1 to 200 bytes"))
    }

    @Test func `a store that is damaged or gone is refused with the way out`() async throws {
        let site = try Site()
        let store = site.path + "/server/store.db"
        try await site.serving { _ in _ = try await site.pair() }
        try Database(path: store).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let bytes = try #require(FileManager.default.contents(atPath: store))
        for (content, words) in [
            (Data(), "is missing or empty, but a server ran here"),
            (Data("text".utf8), "store.db is damaged: file is not a database"),
            (bytes.prefix(bytes.count / 2), "store.db is damaged"),
            (DamagedReplicaTests.Damage.scramble(bytes, 3), "store.db is damaged"),
        ] {
            try content.write(to: URL(filePath: store))
            for words in [
                ["serve", "--listen", "127.0.0.1:0", "--health", "none"], ["invite", "x"],
            ] {
                let all = words + ["--data", site.path + "/server"]
                let outcome = try await site.start(BuiltProgram.server.path, all).finish()
                #expect(outcome.code == 1)
                #expect(outcome.errors.contains("wake-server: hint: "), "\(outcome.errors)")
            }
            let outcome = try await serve(
                site,
                "--data",
                site.path + "/server",
                "--listen",
                "127.0.0.1:0"
            )
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        try bytes.write(to: URL(filePath: store))
        try await site.serving { _ in }
    }

    @Test func `a view that is damaged is made anew`() async throws {
        let site = try Site()
        let boat = try await site.serving { _ in try await site.pair().boat }
        let views = site.path + "/server/views"
        for name in try FileManager.default.contentsOfDirectory(atPath: views) {
            try Data("damaged".utf8).write(to: URL(filePath: "\(views)/\(name)"))
        }
        let server = try await site.startServer()
        try Database(path: boat.path + "/replica.db").run(
            "UPDATE self SET authority = \(server.address)"
        )
        try await boat("settings", "set", "metric", "no")
        try await boat("sync")
        let view = try #require(
            try FileManager.default.contentsOfDirectory(atPath: views)
                .first { $0.hasSuffix(".db") }
        )
        #expect(try Database(path: "\(views)/\(view)").userVersion() > 0)
        await server.kill()
    }
}

/// A server whose disk is full, or may not be written.
@Suite(
    .processes,
    .enabled(if: SmallDisk.isHere, "not here: mounting is not allowed")
)
struct FullServerTests {
    @Test
    func `reading goes on, work and a revocation stay queued, and all is well after`()
        async throws
    {
        let site = try Site()
        let disk = try SmallDisk(at: site.path + "/server", byteCount: 6 << 20)
        let server = try await site.startServer(["--reserve", "1"])
        let (boat, phone) = try await site.pair()
        try disk.fill()
        try await boat("import", try site.file("a.gpx", Inputs.gpx(name: "a", points: 20_000)))
        let full = try await boat.run("sync")
        #expect(full.code == 5, "\(full.errors)")
        #expect(full.errors.contains("the server's disk is full"), "\(full.errors)")
        struct Status: Decodable { let device: String, queued: Int }
        #expect(try await boat("status", "--json").json(Status.self).queued > 0)
        try await phone("sync")
        let id = try await phone("status", "--json").json(Status.self).device
        // The revocation follows the unsent work in the chain of the boat's sets.
        let told = try await boat.run("devices", "revoke", id)
        #expect(told.code == 5, "\(told.errors)")
        try await phone("sync")
        try disk.makeRoom()
        try await boat("sync")
        #expect(try await phone.run("sync").code == 6)
        #expect(try await boat("status", "--json").json(Status.self).queued == 0)
        await server.kill()
    }

    @Test func `a backup onto a full disk is told as that`() async throws {
        let site = try Site()
        try await site.serving { _ in _ = try await site.pair() }
        let disk = try SmallDisk(at: site.path + "/backups", byteCount: 1 << 20)
        try disk.fill(leaving: 16 << 10)
        let words = ["backup", disk.path + "/b", "--data", site.path + "/server"]
        let outcome = try await site.start(BuiltProgram.server.path, words).finish()
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("cannot write \(disk.path)/b.draft: the disk is full"))
    }

    @Test func `a folder that may not be written is told`() async throws {
        let site = try Site()
        let disk = try SmallDisk(at: site.path + "/server", byteCount: 6 << 20)
        try await site.serving { _ in }
        try disk.setReadOnly(true)
        for words in [
            ["serve", "--listen", "127.0.0.1:0", "--health", "none"], ["invite", "ann"],
        ] {
            let all = words + ["--data", disk.path]
            let outcome = try await site.start(BuiltProgram.server.path, all).finish()
            #expect(outcome.code == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains("permissions"), "\(outcome.errors)")
        }
        try disk.setReadOnly(false)
    }
}
