import Harness
@testable import SyncCore
import Testing

import ProgramKit
@testable import SyncCLI

/// What an owner does about work that waits at the server.
@Suite(.processes) struct HeldTests {
    /// Sends a set of which this program does not know a feature; the server's answer.
    private func pushFromTomorrow(from boat: LiveDevice) async throws -> [PushResult] {
        let replica = try Replica(path: boat.folder + "/replica.db")
        let (me, space) = (
            try await replica.read { try $0.identity.current() },
            try await replica.read { try $0.spaces.own() }
        )
        let (keys, author) = (
            try await replica.read { try $0.identity.deviceKeys() }, Identifier(number: 77)
        )
        let body: [UInt8] = [0x01]
        var header = Header(
            space: space,
            device: me.device,
            replica: author,
            sequence: 1,
            previous: .zero,
            stamps: 1...1,
            cellCount: 1,
            bodyHash: Digest(of: body),
            bodyByteCount: 1,
            decodedByteCount: 1,
            seen: Seen(position: .none, chain: .zero, controls: 1)
        )
        header.critical = [40]
        let spaceKey = try #require(
            try await replica.read { try $0.spaces.keys(of: space) }.macKey(epoch: 1)
        )
        let epoch = try #require(keys.epoch)
        let deviceKey = try #require(keys.macKey(epoch: epoch))
        let inner = Envelope.seal(header.encoded, with: spaceKey, epoch: 1, for: .space)
        let upload = Envelope.seal(inner, with: deviceKey, epoch: epoch, for: .device)
        let client = ServerClient(
            transport: HTTPTransport(
                authority: try #require(me.authority),
                trust: try #require(me.trust)
            ),
            authority: try #require(me.authority),
            keys: keys,
            anchor: me.anchor,
            now: { Moment(wall: Console.now(), uptimeMilliseconds: 1, boot: .zero) }
        )
        let request = SyncRequest.SpaceRequest(
            space: space,
            replica: author,
            cursor: .none,
            items: [PushItem(upload: upload, body: body).encoded]
        )
        return try await client.sync(SyncRequest(spaces: [request])).spaces.flatMap(\.results)
    }

    @Test(arguments: ["adopt", "decline"])
    func `a real server's held work is listed, and goes with the decision`(
        decision: String
    ) async throws {
        let folder = try ScratchFolder()
        let server = try ServerProcess(folder: folder.path + "/server")
        let boat = LiveDevice(folder: folder.path + "/boat")
        _ = await boat.tell("init", "--name", "boat")
        _ = await boat.tell("join", try server.invite("skipper"))
        _ = await boat.tell("sync")
        let results = try await pushFromTomorrow(from: boat)
        guard case .judged(_, .held, _)? = results.first else {
            Issue.record("\(results)")
            return
        }
        let list = await boat.tell("held")
        #expect(list.contains("/1 by boat, "), "\(list)")
        #expect(list.contains("(upgrade)"), "\(list)")
        #expect(await boat.run("held", decision).code == .usage)
        #expect(await boat.run("held", decision, "1", "--all").code == .usage)
        #expect(await boat.run("held", decision, "2").code == .notFound)
        let word = decision == "adopt" ? "adopted" : "declined"
        #expect(await boat.tell("held", decision, "1").hasPrefix("\(word) set "))
        #expect(await boat.run("held").err.hasPrefix("nothing waits for "))
        #expect(await boat.run("held", decision, "1").code == .notFound)
        withExtendedLifetime(server) {}
    }
}
