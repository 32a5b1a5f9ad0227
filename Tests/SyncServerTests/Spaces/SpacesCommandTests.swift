import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// A restored server that waits for control sets which nobody brings.
@Suite struct SpacesCommandTests {
    private let server: TestServer
    private let boat: TestDevice
    private let space: Identifier

    init() async throws {
        server = try TestServer()
        boat = try TestDevice("boat", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        space = try await boat.space()
        let folder = try DataFolder(server.folder.path)
        let key = [UInt8](repeating: 7, count: 32)
        _ = try folder.makeFile(folder.path + "/master.key", key.hexadecimal + "\n")
    }

    private func run(_ words: String...) async -> ProgramRun {
        await ProgramRun(words + ["--data", server.folder.path])
    }

    private func id(of device: TestDevice) async throws -> Identifier {
        try await device.replica.read { try $0.identity.current() }.device
    }

    private func controls() async throws -> UInt64 {
        try await server.store.chain(of: space)?.count ?? 0
    }

    @Test func `a space that waits for lost control sets is listed, and goes on once released`()
        async throws
    {
        let before = try await controls()
        try Database(path: server.folder.path + "/store.db").run(
            "UPDATE space SET named = named + 2"
        )
        _ = try await boat.link()
        #expect(try await controls() == before)
        let listed = await run("spaces", "list")
        #expect(listed.code == .success)
        #expect(
            listed.output.contains("boat") && listed.output.contains("waits for 2 control sets")
        )
        let released = await run("spaces", "release", space.description)
        #expect(released.code == .success)
        #expect(released.output == "released \(space): it waits for 2 control sets no more\n")
        // The link that waited is there now, and works.
        try await boat.sync()
        #expect(try await controls() == before + 1)
        let phone = try TestDevice("phone", server)
        try await phone.join(try await boat.link())
        try await phone.sync()
        let again = await run("spaces", "release", space.description)
        #expect(again.output == "\(space) does not wait for any control set\n")
        #expect(!(await run("spaces", "list").output.contains("waits")))
    }

    @Test func `devices are listed with whole ids, who let them in, and who is shut out`()
        async throws
    {
        let phone = try TestDevice("phone", server)
        try await phone.join(try await boat.link())
        try await phone.sync()
        var random = SplitMix64(seed: 1)
        let code = RecoveryCode(using: &random)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        try await boat.sync()
        let (first, second) = (try await id(of: boat), try await id(of: phone))
        let before = await run("devices", "list").output.split(separator: "\n")
        #expect(before.count == 4)
        #expect(before[1].hasPrefix("\(first)  boat ") && before[1].contains("first device"))
        let inviter = "\(first.description.prefix(8)) boat"
        #expect(before[2].hasPrefix("\(second)  phone ") && before[2].hasSuffix(inviter))
        #expect(before[3].contains("  recovery code  ") && before[3].hasSuffix(inviter))
        try await boat.revoke(phone)
        let after = await run("devices", "list").output.split(separator: "\n")
        #expect(after[2].contains(/boat +revoked$/) && !after[3].contains("revoked"))
        // One that the file alone shuts out.
        try "\(first)\n".write(
            toFile: server.folder.path + "/revocations",
            atomically: true,
            encoding: .utf8
        )
        let listed = await run("devices", "list", "--json").output
        #expect(listed.matches(of: /"isRevoked": ?true/).count == 2)
    }

    @Test func `a damaged control set hides the devices of its space alone`() async throws {
        let other = try TestDevice("laptop", server)
        try await other.join(try await server.invite())
        try await other.sync()
        try Database(path: server.folder.path + "/store.db").run(
            """
            UPDATE log SET body = x'00' WHERE space_id = \(await other.space()) AND position = 1
            """
        )
        let listed = await run("devices", "list")
        #expect(listed.code == .attention)
        #expect(listed.output.contains("boat") && !listed.output.contains("laptop"))
        #expect(listed.errors.contains("the devices of space \(try await other.space())"))
    }

    @Test func `what is no space, or none of the store's, is told`() async {
        let wrong = await run("spaces", "release", "1234")
        #expect(wrong.code == .usage && wrong.errors.contains("'1234' is not the id of a space"))
        let other = await run("spaces", "release", Identifier(number: 5).description)
        #expect(other.code == .notFound && other.errors.contains("wake-server spaces list"))
        #expect(other.output.isEmpty)
    }
}
