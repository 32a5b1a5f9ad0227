import Foundation
import Harness
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// The loss of every device but the paper with the code, with a real server.
@Suite(.processes) struct RecoveryTests {
    private let scratch: ScratchFolder
    private let server: ServerProcess
    private let boat: LiveDevice
    private let fresh: LiveDevice

    init() async throws {
        scratch = try ScratchFolder()
        server = try ServerProcess(folder: scratch.path + "/server")
        boat = LiveDevice(folder: scratch.path + "/boat")
        fresh = LiveDevice(folder: scratch.path + "/fresh")
        for device in [boat, fresh] { _ = await device.tell("init") }
    }

    /// The code and the address that a command printed.
    private func paper(_ text: String) throws -> (code: String, address: String) {
        let code = try #require(text.firstMatch(of: /recovery code: (.+)/)).1
        let address = try #require(text.firstMatch(of: /server: +(\S+)/)).1
        return (String(code), String(address))
    }

    @Test func `a new device restores everything by the code, and joins once`() async throws {
        let paper = try paper(await boat.tell("join", try server.invite("skipper")))
        _ = await boat.tell("places", "add", "harbour", "52.85", "5.30")
        _ = await boat.tell("sync")
        let words = ["join", paper.address, "--recovery", paper.code]
        #expect(await fresh.run(words).code == .success)
        _ = await fresh.tell("sync")
        #expect(await fresh.tell("places", "list").contains("harbour"))
        let before = await fresh.tell("devices", "list")
        let again = await fresh.run(words)
        #expect(again.code == .attention && again.err.contains("already joined"), "\(again.err)")
        #expect(await fresh.tell("devices", "list") == before)
        #expect(await boat.run(words).code == .attention)
        withExtendedLifetime(server) {}
    }

    @Test func `the code brings the shared spaces back too`() async throws {
        let paper = try paper(await boat.tell("join", try server.invite("skipper")))
        _ = await boat.tell("sync")
        _ = await boat.tell("spaces", "create", "club")
        _ = await boat.tell("places", "add", "harbour", "52.85", "5.30", "--space", "club")
        _ = await boat.tell("sync")
        let words = ["join", paper.address, "--recovery", paper.code]
        let joined = await fresh.run(words)
        #expect(joined.out.contains("entered 1 shared space, see 'wake spaces list'"), "\(joined)")
        _ = await fresh.tell("sync")
        #expect(await fresh.tell("places", "list", "--space", "club").contains("harbour"))
        let again = await fresh.run(words)
        #expect(again.code == .attention && again.err.contains("already joined"), "\(again.err)")
        // Both are in the space as the same person.
        _ = await boat.tell("sync")
        let list = await boat.tell("spaces", "list")
        #expect(list.contains("club") && list.contains("owner"), "\(list)")
        withExtendedLifetime(server) {}
    }

    @Test func `a device that was revoked comes back by the code`() async throws {
        let paper = try paper(await boat.tell("join", try server.invite("skipper")))
        _ = await boat.tell("sync")
        let words = ["join", paper.address, "--recovery", paper.code]
        #expect(await fresh.run(words).code == .success)
        _ = await fresh.tell("sync")
        let list = await fresh.tell("devices", "list")
        let row = try #require(list.firstMatch(of: /(\w{8}) .*first device/))
        let code = try #require(list.firstMatch(of: /(\w{8})  recovery code/))
        let kept = await fresh.run("devices", "revoke", String(code.1))
        #expect(kept.code == .attention)
        #expect(kept.err.contains("\(code.1) is a recovery code: no device can revoke it"))
        let revoked = await fresh.run("devices", "revoke", String(row.1))
        #expect(revoked.code == .success)
        #expect(revoked.err.contains("it had made the recovery code \(code.1)"))
        _ = await boat.tell("places", "add", "harbour", "52.85", "5.30")
        #expect(await boat.run("sync").code == .authentication)
        #expect(await boat.run(words).code == .success)
        for device in [boat, fresh] { _ = await device.tell("sync") }
        #expect(await fresh.tell("places", "list").contains("harbour"))
        withExtendedLifetime(server) {}
    }
}
