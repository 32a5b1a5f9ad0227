import Foundation
import Harness
import SyncCore
import Testing

/// How a server starts and ends.
@Suite(.processes) struct ServerProcessTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends the server while devices sync, and nothing that was told is lost`(
        signal: Int32
    ) async throws {
        let site = try Site()
        let server = try await site.startServer()
        let (boat, phone) = try await site.pair()
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in [boat, phone] {
                group.addTask {
                    for step in 0... {
                        if isOver.isSet { return }
                        let name = "\(device.name) \(step)"
                        let text = Inputs.gpx(name: name, points: 500)
                        try await device("import", try site.file(name + ".gpx", text))
                        _ = try await device.run("sync")
                    }
                }
            }
            try await until("sets of both devices in the log") {
                try ServerLog(of: site).hashes.isSuperset(of: boat.toldSets())
                    && [boat, phone].allSatisfy { try $0.toldSets().count > 3 }
            }
            server.program.send(signal)
            let outcome = await server.program.finish()
            isOver.set()
            #expect(outcome.code == 0, "\(outcome.errors)")
            try await group.waitForAll()
        }
        let log = try ServerLog(of: site)
        log.expectDense()
        #expect(try boat.toldSets().union(phone.toldSets()).isSubset(of: log.hashes))
        let outcome = try await boat.run("sync")
        // The port is free again: the server of another test may have got it, with another key.
        let isTaken = outcome.code == 6 && outcome.errors.contains("presented another key")
        #expect(outcome.code == 5 || isTaken, "\(outcome.output)\(outcome.errors)")
    }

    @Test func `a second server on the same folder is refused, an invitation is not`()
        async throws
    {
        let site = try Site()
        try await site.serving { _ in
            let words = ["serve", "--data", site.path + "/server", "--listen", "127.0.0.1:0"]
            let second = try await site.start(BuiltProgram.server.path, words).finish()
            #expect(second.code == 1)
            #expect(
                second.errors == """
                    wake-server: error: another server is running on \(site.path)/server
                    wake-server: hint: stop it, or use another --data DIR

                    """
            )
            let boat = try await site.device("boat")
            try await boat("join", try await site.invite())
            try await boat("sync")
        }
    }

    @Test func `an invitation waits for a server that is starting`() async throws {
        let site = try Site()
        let lock = site.path + "/server/lock"
        let words = ["serve", "--data", site.path + "/server", "--listen", "127.0.0.1:0"]
        for _ in 0..<3 {
            let program = try site.start(BuiltProgram.server.path, words + ["--health", "none"])
            try await until("a server that starts") { FileLock.isLocked(at: lock) }
            let link = try #require(Link(try await site.invite()))
            let server = try await RunningServer(program, site: site)
            // Also after a restart, where the address was another.
            #expect(link.authority == server.address)
            await server.kill()
        }
    }

    @Test
    func `an invitation reports its wait for a starting server, and fails if that server exits`()
        async throws
    {
        let site = try Site()
        try await site.serving { _ in }
        try FileManager.default.removeItem(atPath: site.path + "/server/authority")
        // As a server does from its start on, before it listens.
        var lock: FileLock? = try FileLock(path: site.path + "/server/lock")
        #expect(try lock?.tryLock() == true)
        let words = ["invite", "ann", "--data", site.path + "/server"]
        let program = try site.start(BuiltProgram.server.path, words)
        _ = try await program.match(
            /wake-server: a server is starting on .*; waiting/,
            "a note",
            in: \.errors
        )
        lock = nil
        let outcome = await program.finish()
        #expect(outcome.code == 1, "\(outcome.output)")
        #expect(outcome.errors.contains("no server has listened on"), "\(outcome.errors)")
    }

    @Test func `a port that is taken is told, and so is an address that is none`() async throws {
        let site = try Site()
        try await site.serving { server in
            for (address, code, text) in [
                (server.address, 1 as Int32, "cannot listen on \(server.address)"),
                ("nowhere", 2, "'nowhere' is not host:port"),
            ] {
                let words = ["serve", "--data", site.path + "/other", "--listen", address]
                let second = try await site.start(BuiltProgram.server.path, words).finish()
                #expect(second.code == code && second.errors.contains(text), "\(second.errors)")
            }
        }
    }

    @Test func `S12 a revoked device stays out when an old copy of the store is put back`()
        async throws
    {
        let site = try Site()
        let store = site.path + "/server/store.db"
        let (boat, phone) = try await site.serving { _ in try await site.pair() }
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store + suffix) {
            try FileManager.default.copyItem(
                atPath: store + suffix,
                toPath: site.path + "/old.db" + suffix
            )
        }
        let server = try await site.startServer()
        for device in [boat, phone] { try Self.point(device, at: server.address) }
        struct Status: Decodable { let device: String }
        let id = try await phone("status", "--json").json(Status.self).device
        try await boat("devices", "revoke", id)
        #expect(try await phone.run("sync").code == 6)
        await server.kill()
        // Beside the last one the server would see that commits are missing, and begin another epoch.
        for suffix in ["", "-wal", "-shm", "-end"] {
            try? FileManager.default.removeItem(atPath: store + suffix)
            let old = site.path + "/old.db" + suffix
            guard FileManager.default.fileExists(atPath: old) else { continue }
            try FileManager.default.copyItem(atPath: old, toPath: store + suffix)
        }
        let again = try await site.startServer(at: server.address)
        #expect(try await phone.run("sync").code == 6)
        // Nobody told the boat of another epoch, so for it these are two histories.
        let told = try await boat.run("sync")
        #expect(told.code == 6 && told.errors.contains("different histories"), "\(told.errors)")
        try await boat("sync")
        #expect(try await boat.run("verify").code == 6)
        let doctor = try await boat.run("doctor").output
        #expect(doctor.contains(/trouble +trust +space/) && !doctor.contains("--salvage"))
        let known = try await boat.run("verify", "--acknowledge")
        #expect(known.code == 0 && known.errors.contains("acknowledged: space"))
        #expect(try await boat.run("verify").code == 0)
        await again.kill()
    }

    /// The server of a test takes a new port at each start.
    private static func point(_ device: Device, at address: String) throws {
        try Database(path: device.path + "/replica.db").run(
            "UPDATE self SET authority = \(address)"
        )
    }
}
