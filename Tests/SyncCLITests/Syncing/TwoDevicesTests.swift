import Foundation
import Harness
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// The commands that need a server, with a real one.
@Suite(.processes) struct TwoDevicesTests {
    static let document = """
        <gpx version="1.1"><trk><name>Sail</name><trkseg>
        <trkpt lat="52.85" lon="5.31"><time>2026-05-01T10:00:00Z</time></trkpt>
        <trkpt lat="52.86" lon="5.31"><time>2026-05-01T10:01:00Z</time></trkpt>
        <trkpt lat="52.87" lon="5.31"><time>2026-05-01T10:02:00Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    private func word(_ prefix: String, in text: String) throws -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return String(try #require(words.first { $0.hasPrefix(prefix) }))
    }

    @Test func `two devices join, edit apart, meet, and one is revoked`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "wake-\(UInt64.random(in: .min ... .max))").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try ServerProcess(folder: folder + "/server")
        let boat = LiveDevice(folder: folder + "/boat")
        let phone = LiveDevice(folder: folder + "/phone")

        _ = await boat.tell("init", "--name", "boat")
        _ = await boat.tell("join", try server.invite("skipper"))
        let link = try word("wake://", in: await boat.tell("devices", "link"))
        _ = await phone.tell("init", "--name", "phone")
        _ = await phone.tell("join", link)
        #expect(await phone.run("join", link).code == .attention)
        let other = LiveDevice(folder: folder + "/other")
        _ = await other.tell("init")
        #expect(await other.run("join", link).code == .authentication)

        try Self.document.write(
            toFile: folder + "/sail.gpx",
            atomically: true,
            encoding: .utf8
        )
        _ = await boat.tell("import", folder + "/sail.gpx")
        #expect(await boat.tell("sync").hasSuffix(": sent 1 track\n"))
        let first = await phone.tell("sync")
        #expect(first.hasSuffix(": sent 1 device; received 1 track, 1 device, points or files\n"))
        #expect(await boat.tell("sync").hasSuffix(": received 1 device\n"))
        #expect(await boat.tell("sync").contains("nothing new"))

        try await edit(boat, phone)
        for words in [["tracks", "list"], ["fingerprint"], ["settings", "list"]] {
            let left = await boat.run(words + ["--json"])
            let right = await phone.run(words + ["--json"])
            #expect(left.code == .success)
            #expect(left.out == right.out)
        }
        let history = await boat.tell("tracks", "history", try await id(boat))
            .split(separator: "\n")
        #expect(history.contains { $0.contains("By the boat") && $0.contains("overwritten") })
        #expect(history.contains { $0.contains("By the phone") && $0.contains("won") })
        let conflicts = await boat.tell("conflicts")
        #expect(conflicts.contains(/'By the phone'  name +By the phone +phone +By the boat +boat/))
        #expect(conflicts.contains(/trim\/start  from 10:02:00 +phone  from 10:01:00 +boat/))
        try await deleteAndSplit(boat, phone, folder)
        try await checkProof(boat, folder)
        try await revoke(phone, by: boat)
        server.stop()
        _ = await boat.tell("tracks", "rename", try await id(boat), "Alone")
        let offline = await boat.run("sync")
        #expect(offline.code == .network)
        #expect(offline.err.contains("cannot reach 127.0.0.1"))
        #expect(await boat.tell("status", "--json").contains("\"queued\": 1"))
    }

    private func id(_ device: LiveDevice) async throws -> String {
        let replica = try Replica(path: Library.path(in: device.folder))
        let tracks = try await replica.read { try $0.tracks.all(in: try $0.spaces.own()) }
        return try #require(tracks.first).id.description
    }

    /// Both rename and trim the track, the phone later, and each sets something else.
    private func edit(_ boat: LiveDevice, _ phone: LiveDevice) async throws {
        let track = try await id(boat)
        _ = await boat.tell("tracks", "rename", track, "By the boat")
        _ = await boat.tell("tracks", "trim", track, "--from", "10:01")
        _ = await boat.tell("settings", "set", "speedUnit", "km/h")
        let boatsTime = Console.now()
        try await until("a later time") { Console.now() > boatsTime }
        _ = await phone.tell("tracks", "rename", track, "By the phone")
        _ = await phone.tell("tracks", "trim", track, "--from", "10:02")
        _ = await phone.tell("tracks", "set", track, "sport", "sailing")
        for device in [boat, phone, boat] { _ = await device.tell("sync") }
    }

    /// One device deletes a track, the other splits it: both are told.
    private func deleteAndSplit(
        _ boat: LiveDevice,
        _ phone: LiveDevice,
        _ folder: String
    ) async throws {
        let second = Self.document.replacing("2026-05-01", with: "2026-06-01")
        try second.write(toFile: folder + "/two.gpx", atomically: true, encoding: .utf8)
        let imported = await boat.tell("import", folder + "/two.gpx", "--json")
        let found = imported.firstMatch(of: /"id": ?"([^"]+)"/)
        let track = String(try #require(found).1)
        for device in [boat, phone] { _ = await device.tell("sync") }
        _ = await boat.tell("tracks", "delete", track)
        _ = await phone.tell("tracks", "split", track, "--at", "10:01")
        for device in [boat, phone, boat] { _ = await device.tell("sync") }
        for device in [boat, phone] {
            let told = await device.run("conflicts")
            let conflicts = told.out
            #expect(told.err.contains("'wake restore ID' restores what was deleted"))
            #expect(
                conflicts.contains(
                    /'Sail' +deletion +deleted +boat +turned into .+\(1\)', .+ phone/
                )
            )
        }
        _ = await phone.tell("tracks", "restore", track)
        #expect(await !phone.tell("conflicts").contains("deletion"))
    }

    private func checkProof(_ boat: LiveDevice, _ folder: String) async throws {
        #expect(await boat.tell("verify").contains("no faults: "))
        _ = await boat.tell("export", "--sealed", folder + "/sealed")
        _ = await boat.tell("export", "--keys", folder + "/keys")
        let sealed = try Data(contentsOf: URL(filePath: folder + "/sealed"))
        #expect(!sealed.isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/keys")
        #expect(mode[.posixPermissions] as? Int == 0o600)
        let keys = try JSONSerialization.jsonObject(
            with: try Data(contentsOf: URL(filePath: folder + "/keys"))
        )
        let members = try #require(keys as? [String: [String: Any]])
        #expect(members["device"]?.count == 1)
        #expect(members["spaces"]?.count == 1)
    }

    private func revoke(_ phone: LiveDevice, by boat: LiveDevice) async throws {
        let list = await boat.tell("devices", "list")
        #expect(list.contains("phone"))
        let line = try #require(list.split(separator: "\n").first { $0.contains("phone") })
        let own = try #require(list.split(separator: "\n").first { $0.contains("boat") })
        #expect(await boat.run("devices", "revoke", String(own.prefix(8))).code == .attention)
        _ = await boat.tell("devices", "revoke", String(line.prefix(8)))
        let again = await boat.tell("devices", "revoke", String(line.prefix(8)))
        #expect(again == "'phone' is revoked already\n")
        let refused = await phone.run("sync")
        #expect(refused.code == .authentication)
        #expect(refused.err.contains("the server rejected the request"))
    }
}
