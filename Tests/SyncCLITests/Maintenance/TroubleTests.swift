import Foundation
import Harness
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// What a person sees of trouble, and does about it, with a real server.
@Suite(.processes) struct TroubleTests {
    private static let document = """
        <gpx version="1.1"><trk><name>Sail</name><trkseg>
        <trkpt lat="52.85" lon="5.31"><time>2026-05-01T10:00:00Z</time></trkpt>
        <trkpt lat="52.86" lon="5.31"><time>2026-05-01T10:01:00Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    /// A device that joined a server and synced one track.
    private func boat(
        in folder: ScratchFolder
    ) async throws -> (boat: LiveDevice, server: ServerProcess) {
        let server = try ServerProcess(folder: folder.path + "/server")
        let boat = LiveDevice(folder: folder.path + "/boat")
        _ = await boat.tell("init", "--name", "boat")
        _ = await boat.tell("join", try server.invite("skipper"))
        try Self.document.write(
            toFile: folder.path + "/sail.gpx",
            atomically: true,
            encoding: .utf8
        )
        _ = await boat.tell("import", folder.path + "/sail.gpx")
        _ = await boat.tell("sync")
        return (boat, server)
    }

    /// Writes what no command does: the settings of somebody else.
    private func writeForeignSetting(on boat: LiveDevice) async throws {
        let replica = try Replica(path: boat.folder + "/replica.db")
        let row = Row.user(Identifier(number: 9))
        try await replica.write {
            try $0.rows.write(
                [Edit(Key(Setting.collection, row, "metric"), .bool(false))],
                in: try $0.spaces.own(),
                at: Moment(Console.now())
            )
        }
    }

    @Test(arguments: [Int64.min, 0, .max])
    func `the doctor takes any time of a backup from a server`(time: Int64) async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        defer { withExtendedLifetime(server) {} }
        let replica = try Replica(path: boat.folder + "/replica.db")
        try await replica.write {
            let mark = BackupMark(position: 0, time: UnixTime(milliseconds: time))
            try $0.spaces.recordBackup(mark, of: try $0.spaces.own())
        }
        #expect(await boat.tell("doctor").contains("the last verified backup is from "))
    }

    @Test func `a refused set is listed, written again, kept in a file and dropped`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        try await writeForeignSetting(on: boat)
        let sync = await boat.run("sync")
        #expect(sync.code == .attention)
        #expect(sync.err.contains("'wake refused' lists them"), "\(sync.err)")
        #expect(await boat.tell("status").contains("refused"))

        let list = await boat.tell("refused")
        #expect(list.contains("this person's role does not allow this change (role)"), "\(list)")
        #expect(list.contains("metric = no"), "\(list)")
        let doctor = await boat.tell("doctor")
        #expect(
            doctor.contains("warning  declined    1 refused; 'wake refused' lists"),
            "\(doctor)"
        )

        let file = folder.path + "/kept"
        #expect(await boat.tell("refused", "export", "4", file).contains("wrote change set"))
        let bytes = try InputFile.bytes(of: file)
        #expect(try Upload(parsing: PushItem(decoding: bytes[...]).upload).header.sequence == 4)
        #expect(await boat.tell("refused", "retry", "4") == "wrote 1 field again\n")
        #expect(await boat.run("refused").err.contains("no refused, held or"))

        #expect(await boat.run("sync").code == .attention, "the server still refuses it")
        let drop = await boat.run("refused", "drop", "--all")
        #expect(drop.code == .attention)
        #expect(drop.err.contains("confirm with '--yes'"), "\(drop.err)")
        #expect(await boat.tell("refused", "drop", "5", "--yes") == "removed 1 set from the list\n")
        #expect(await boat.run("refused").err.contains("no refused, held or"))
        #expect(await boat.tell("sync").contains("nothing new"))
        withExtendedLifetime(server) {}
    }

    @Test func `I3 a copied device says that it took another name`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        let copy = LiveDevice(folder: folder.path + "/copy")
        try FileManager.default.copyItem(atPath: boat.folder, toPath: copy.folder)
        let lines = await boat.tell("tracks", "list").split(separator: "\n")
        let id = lines[1].prefix(8)
        _ = await boat.tell("tracks", "rename", String(id), "one")
        _ = await copy.tell("tracks", "rename", String(id), "two")
        #expect(await boat.run("sync").err.isEmpty)
        let sync = await copy.run("sync")
        #expect(sync.code == .success)
        #expect(sync.err.contains("it was restored or copied, or the disk lost"), "\(sync.err)")
        #expect(await copy.tell("status").contains("it was restored or copied, or the disk lost"))
        #expect(await copy.tell("doctor").contains("it was restored or copied, or the disk lost"))
        #expect(await copy.run("sync").err.isEmpty, "told once")
        #expect(!(await boat.tell("status").contains("restored")))
        withExtendedLifetime(server) {}
    }

    @Test func `a person is told for a week that the disk may have lost changes`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        let database = try Database(path: boat.folder + "/replica.db")
        let now = Console.now().milliseconds
        for (days, isTold) in [(8, false), (6, true)] as [(Int64, Bool)] {
            let time = now - days * 86_400_000
            try database.run(
                "INSERT INTO event (time, kind, detail) VALUES (\(time), 'cutShort', '')"
            )
            #expect(await boat.tell("status").contains("write-ahead log") == isTold)
        }
        withExtendedLifetime(server) {}
    }

    @Test(arguments: ["DELETE FROM self", "UPDATE space SET kind = 'owm'"] as [SQL])
    func `K6 a replica without its device or own space is saved, and no other takes its place`(
        damage: SQL
    ) async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        try Database(path: boat.folder + "/replica.db").run(damage)
        for command in ["tracks list", "sync", "init"] {
            let result = await boat.run(command.split(separator: " ").map(String.init))
            #expect(result.code == .failure)
            #expect(result.err.contains("is damaged"), "\(command): \(result.err)")
            #expect(result.err.contains("'wake doctor --salvage FOLDER'"), "\(result.err)")
        }
        let saved = LiveDevice(folder: folder.path + "/saved")
        _ = await boat.tell("doctor", "--salvage", saved.folder)
        #expect(await saved.tell("tracks", "list") != "")
        withExtendedLifetime(server) {}
    }

    @Test func `K6 a damaged replica is saved, and syncs to the same fingerprint`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        let lines = await boat.tell("tracks", "list").split(separator: "\n")
        let id = lines[1].prefix(8)
        _ = await boat.tell("tracks", "rename", String(id), "not sent")
        let file = boat.folder + "/replica.db"
        var bytes = try InputFile.bytes(of: file)
        bytes.replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
        try Data(bytes).write(to: URL(filePath: file))

        let doctor = await boat.run("doctor")
        #expect(doctor.code == .failure)
        #expect(doctor.out.hasPrefix("trouble  file"), "\(doctor.out)")
        let saved = LiveDevice(folder: folder.path + "/saved")
        let salvage = await boat.tell("doctor", "--salvage", saved.folder)
        #expect(salvage.contains("1 field not sealed"), "\(salvage)")
        let page = /unreadable or only partly readable: 1 of \d+ pages/
        #expect(salvage.contains(page), "\(salvage)")
        #expect(await saved.tell("tracks", "list").contains("not sent"))
        #expect(await saved.tell("sync").contains("sent 1 track"))

        let phone = LiveDevice(folder: folder.path + "/phone")
        let link = await saved.tell("devices", "link").split(separator: "\n").first
        _ = await phone.tell("init", "--name", "phone")
        _ = await phone.tell("join", String(try #require(link)))
        _ = await phone.tell("sync")
        _ = await phone.tell("sync")
        _ = await saved.tell("sync")
        let fingerprint = await phone.tell("fingerprint")
        #expect(await saved.tell("fingerprint") == fingerprint)
        #expect(await phone.tell("tracks", "list").contains("not sent"))
        let healthy = await saved.tell("doctor")
        #expect(!healthy.contains("trouble"), "\(healthy)")
        #expect(healthy.contains("answers and is the server that was joined"), "\(healthy)")
        withExtendedLifetime(server) {}
    }

    @Test func `what was salvaged without a set is not to be salvaged again`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        for metric in ["no", "yes"] {
            _ = await boat.tell("settings", "set", "metric", metric)
            _ = await boat.tell("sync")
        }
        try Database(path: boat.folder + "/replica.db")
            .execute("DELETE FROM sealed WHERE sequence = 2")
        #expect(await boat.run("doctor").out.contains("'wake doctor --salvage FOLDER' creates"))
        let saved = LiveDevice(folder: folder.path + "/saved")
        let salvage = await boat.tell("doctor", "--salvage", saved.folder, "--json")
        #expect(salvage.contains("\"unreadablePages\": 0"), "\(salvage)")

        let doctor = await saved.run("doctor")
        #expect(doctor.code == .failure)
        #expect(
            doctor.out.contains("run 'wake sync': the server sends the lost data"),
            "\(doctor.out)"
        )
        #expect(!doctor.out.contains("--salvage"), "\(doctor.out)")
        _ = await saved.tell("sync")
        let healthy = await saved.tell("doctor")
        #expect(!healthy.contains("trouble"), "\(healthy)")
        withExtendedLifetime(server) {}
    }

    @Test func `a doctor tells of a server that is away, and checks the rest`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        server.stop()
        let doctor = await boat.run("doctor")
        #expect(doctor.code == .success, "\(doctor.out)")
        #expect(doctor.out.contains("warning  server      cannot reach"), "\(doctor.out)")
        #expect(doctor.out.contains("ok       sets"), "\(doctor.out)")
    }

    @Test func `points whose only copy is damaged come back with their file`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        let second = Self.document.replacing("10:0", with: "11:0").replacing("Sail", with: "Run")
        let path = folder.path + "/run.gpx"
        try second.write(toFile: path, atomically: true, encoding: .utf8)
        _ = await boat.tell("import", path)
        let database = try Database(path: boat.folder + "/replica.db")
        try database.execute(
            "UPDATE chunk SET bytes = x'0001' WHERE number > (SELECT max(number) FROM chunk) - 2"
        )
        let sync = await boat.run("sync")
        #expect(sync.code == .attention)
        #expect(sync.err.contains("the only copy of 2 chunks of points or files is damaged"))
        #expect(sync.err.contains("import the track's file again"), "\(sync.err)")
        #expect(
            await boat.run("status").out.contains("2 chunks of points and files whose only copy")
        )
        #expect(await boat.run("verify").code == .authentication)
        let doctor = await boat.run("doctor")
        #expect(doctor.out.contains("its only copy is damaged, and 1 more"), "\(doctor.out)")

        #expect(await boat.tell("import", path).contains("; 2 missing chunks restored"))
        #expect(await boat.tell("sync").contains("sent 1 track"))
        #expect(await boat.tell("verify").hasPrefix("no faults: "))
        #expect(await boat.tell("status").contains("nothing"))
        withExtendedLifetime(server) {}
    }

    @Test func `a doctor finds a wrong line of the list, and mends it`() async throws {
        let folder = try ScratchFolder()
        let (boat, server) = try await boat(in: folder)
        let database = try Database(path: boat.folder + "/replica.db")
        try database.execute(
            "UPDATE track SET points = 7; UPDATE chunk SET bytes = x'0001' WHERE kind = 4"
        )
        let doctor = await boat.run("doctor")
        #expect(doctor.code == .failure)
        #expect(doctor.out.contains("'wake doctor --repair'"), "\(doctor.out)")
        let verify = await boat.run("verify")
        #expect(verify.code == .authentication)
        #expect(verify.out.contains("2 faults"), "\(verify.out)")
        let repair = await boat.tell("doctor", "--repair")
        #expect(repair.contains("ok       repair      chunks to fetch again: 1"), "\(repair)")
        #expect(await boat.tell("sync").contains("received points or files"))
        #expect(await boat.tell("verify").hasPrefix("no faults: "))
        withExtendedLifetime(server) {}
    }
}
