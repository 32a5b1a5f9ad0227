import Foundation
import Harness
import ProgramKit
import SyncCore
import Synchronization
import Testing

@testable import SyncCLI

/// Links for further devices, with a real server.
@Suite(.processes) struct LinkTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "wake-\(UInt64.random(in: .min ... .max))").path()

    /// A server, a device that has joined it, and one that has not.
    private func withDevices(
        _ body: (_ boat: LiveDevice, _ phone: LiveDevice, ServerProcess) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try ServerProcess(folder: folder + "/server")
        defer { server.stop() }
        let (boat, phone) = (
            LiveDevice(folder: folder + "/boat"), LiveDevice(folder: folder + "/phone")
        )
        _ = await boat.tell("init", "--name", "boat")
        _ = await boat.tell("join", try server.invite("skipper"))
        _ = await phone.tell("init", "--name", "phone")
        try await body(boat, phone, server)
    }

    @Test func `on a terminal the command waits until the device has joined, and names it`()
        async throws
    {
        try await withDevices { boat, phone, _ in
            let test = boat.context
            var context = test.context
            context.output.isTerminal = true
            let told = Mutex("")
            context.sleep = { _ in
                let text = test.output.take()
                told.withLock { $0 += text }
                guard let link = text.firstMatch(of: /wake:\S+/)?.output else { return }
                _ = await phone.tell("join", String(link))
                _ = await phone.tell("sync")
            }
            let code = await Wake.program.run(["devices", "link"], in: context)
            #expect(code == .success && told.withLock { $0.contains("wake:") })
            #expect(test.output.take() == "phone has joined\n")
            #expect(test.error.take().contains("waiting for the other device"))
        }
    }

    @Test func `a link that is withdrawn is gone from the list, and lets nobody in`() async throws {
        try await withDevices { boat, phone, _ in
            let answer = await boat.tell("devices", "link")
            let link = String(try #require(answer.firstMatch(of: /wake:\S+/)).output)
            let row = try #require(
                await boat.tell("devices", "list").firstMatch(
                    of: /(\S{8})  link +boat +until/
                )
            )
            let told = await boat.tell("devices", "revoke", String(row.1))
            #expect(told == "withdrew the link \(row.1)\n")
            #expect(!(await boat.tell("devices", "list").contains("link")))
            let refused = await phone.run("join", link)
            #expect(refused.code == .authentication)
            #expect(refused.err.contains("the link is unknown, used or expired"))
            // Another one does.
            let next = await boat.tell("devices", "link")
            let good = String(try #require(next.firstMatch(of: /wake:\S+/)).output)
            _ = await phone.tell("join", good)
            #expect(await phone.tell("devices", "list").contains("this device"))
        }
    }

    @Test(arguments: [["devices", "link"], ["recovery"], ["devices", "revoke", "boat"]])
    func `without the server nothing is changed, and nothing waits`(words: [String]) async throws {
        try await withDevices { boat, _, server in
            _ = await boat.tell("sync")
            server.stop()
            let run = await boat.run(words)
            #expect(run.code == .network && run.out.isEmpty)
            #expect(run.err.contains(/error: (no link|nothing|no code) was (made|revoked): cannot/))
            #expect(await boat.tell("status").contains(/queued +nothing/))
            #expect(await boat.tell("devices", "list").contains("link") == false)
        }
    }
}
