import Synchronization
import Testing

@testable import SyncCore

/// What a client makes of a server's replies.
@Suite struct ServerClientTests {
    /// A server that gives each request the next reply.
    private actor Script: Transport {
        private var replies: [HTTPResponse]

        init(_ replies: [HTTPResponse]) {
            self.replies = replies.reversed()
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            guard let reply = replies.popLast() else {
                throw TransportError.timedOut(authority: "script")
            }
            return reply
        }
    }

    /// A clock that moves on by 100 ms whenever it is read.
    private final class Ticks: Sendable {
        private let count = Atomic<Int64>(0)

        var moment: Moment {
            let uptime = count.add(100, ordering: .relaxed).newValue
            return Moment(
                wall: UnixTime(milliseconds: Time.start + uptime),
                uptimeMilliseconds: uptime,
                boot: Identifier(number: 1)
            )
        }
    }

    private func client(_ replies: [HTTPResponse]) -> ServerClient {
        let (ticks, id) = (Ticks(), Identifier(number: 7))
        let secret = Secret(bytes: [UInt8](repeating: 7, count: 32))
        return ServerClient(
            transport: Script(replies),
            authority: "wake.example:443",
            keys: DeviceKeys(device: id, secrets: [1: secret]),
            anchor: nil,
            now: { ticks.moment },
            newIdentifier: { id }
        )
    }

    @Test func `the time of a refusal is only as exact as the request was fast`() async throws {
        let problem = #"{"type": "clock-skew", "server_time": 1800000000000}"#
        let client = client([HTTPResponse(401, body: Array(problem.utf8)), HTTPResponse(200)])
        _ = try await client.send(HTTPRequest("GET", "/v1/devices"))
        #expect(await client.anchor?.uncertaintyMilliseconds == 100)
    }

    private static let spaces = [Identifier(number: 1), Identifier(number: 2)]

    @Test(arguments: [[], [spaces[0]], [spaces[1], spaces[0]], spaces + spaces])
    func `a reply to other spaces than asked for is none`(answered: [Identifier]) async throws {
        let reply = SyncReply(
            time: UnixTime(milliseconds: Time.start),
            spaces: answered.map { SyncReply.SpaceReply(space: $0) }
        )
        let request = SyncRequest(
            spaces: Self.spaces.map {
                SyncRequest.SpaceRequest(space: $0, replica: .zero, cursor: .none, items: [])
            }
        )
        await #expect(throws: CBORError.self) {
            try await client([HTTPResponse(200, body: reply.encoded)]).sync(request)
        }
    }
}
