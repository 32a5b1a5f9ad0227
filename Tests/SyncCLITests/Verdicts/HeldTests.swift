import Harness
@testable import SyncCore
import Synchronization
import Testing

import ProgramKit
@testable import SyncCLI

/// What an owner does about work that waits at the server.
@Suite(.processes) struct HeldTests {
    /// A server that holds the sets it was given, and notes what it is asked.
    private final class Holder: Transport {
        private let held: String
        private let asked = Mutex<[String]>([])

        init(_ held: String) {
            self.held = held
        }

        var requests: [String] { asked.withLock { $0 } }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            let body = String(decoding: request.body, as: UTF8.self)
            asked.withLock { $0.append("\(request.method) \(request.path) \(body)") }
            guard request.method == "GET" else { return HTTPResponse(204) }
            return HTTPResponse(200, body: Array(#"{"held":[\#(held)]}"#.utf8))
        }
    }

    private static func record(_ replica: UInt64, _ sequence: Int) -> String {
        let (replica, device) = (
            Identifier(number: UInt128(replica) << 64), Identifier(number: 7)
        )
        return """
            {"replica":"\(replica)","sequence":\(sequence),"reason":"quota","device":"\(device)",
            "device_name":"phone","cells":3,"received":1777627800000}
            """
    }

    private func run(
        _ words: String...,
        against holder: Holder
    ) async throws -> (code: ExitCode, out: String, err: String) {
        let folder = try ScratchFolder()
        var test = TestContext(environment: ["WAKE_DATA": folder.path])
        test.context.transport = { _, _ in holder }
        let program = Wake.program
        _ = await program.run(["init", "--name", "boat"], in: test.context)
        let replica = try Replica(path: folder.path + "/replica.db")
        let device = try await replica.read { try $0.identity.current() }.device
        let enrolment = Enrolment(
            authority: "h:1",
            trust: .plain,
            deviceKeys: DeviceKeys(
                device: device,
                secrets: [1: Secret(bytes: [UInt8](repeating: 1, count: 32))]
            ),
            controls: []
        )
        try await replica.write {
            try $0.enrolment.host(enrolment, at: Moment(UnixTime(milliseconds: 1_777_627_800_000)))
        }
        (_, _) = (test.output.take(), test.error.take())
        let code = await program.run(words, in: test.context)
        return (code, test.output.take(), test.error.take())
    }

    @Test func `held work is listed with who sent it and why`() async throws {
        let holder = Holder(Self.record(1 << 40, 5))
        let answer = try await run("held", against: holder)
        #expect(answer.code == .success, "\(answer.err)")
        let lines = answer.out.split(separator: "\n")
        #expect(lines.count == 2)
        for part in ["/5", "2026-05-01 09:30", "phone", " 3 ", "(quota)"] {
            #expect(answer.out.contains(part), "\(part) in \(answer.out)")
        }
        #expect(
            try await run("held", against: Holder("")).err == "the server holds no change sets\n"
        )
    }

    @Test(arguments: ["adopt", "refuse"])
    func `a decision names the set, and is sent once`(decision: String) async throws {
        let holder = Holder(Self.record(1 << 40, 5))
        let answer = try await run("held", decision, "5", against: holder)
        #expect(answer.code == .success, "\(answer.err)")
        let post = holder.requests.filter { $0.hasPrefix("POST") }
        #expect(post.count == 1)
        #expect(post.first?.hasSuffix(#"/5 {"decision":"\#(decision)"}"#) == true, "\(post)")
        #expect(answer.out.contains(decision == "adopt" ? "adopted" : "refused"))
    }

    @Test func `a name that fits two sets is no decision`() async throws {
        let holder = Holder("\(Self.record(1 << 40, 5)),\(Self.record(1 << 50, 5))")
        let answer = try await run("held", "adopt", "5", against: holder)
        #expect(answer.code == .attention)
        #expect(answer.err.contains("'5' is ambiguous: it names 2 sets"), "\(answer.err)")
        #expect(!holder.requests.contains { $0.hasPrefix("POST") })
        let replica = Identifier(number: UInt128(1 << 50 as UInt64) << 64)
        let exact = try await run("held", "adopt", "\(replica)/5", against: holder)
        #expect(exact.code == .success, "\(exact.err)")
    }

    @Test func `an answer that is none is told`() async throws {
        let answer = try await run("held", against: Holder("7"))
        #expect(answer.code == .network, "\(answer.err)")
    }

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

    @Test(arguments: ["adopt", "refuse"])
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
        #expect(list.contains("/1 ") && list.contains("boat"), "\(list)")
        #expect(list.contains("(upgrade)"), "\(list)")
        #expect(await boat.tell("held", decision, "1").contains("from 'boat'"))
        #expect(await boat.run("held").err == "the server holds no change sets\n")
        #expect(await boat.run("held", decision, "1").code == .notFound)
        withExtendedLifetime(server) {}
    }
}
