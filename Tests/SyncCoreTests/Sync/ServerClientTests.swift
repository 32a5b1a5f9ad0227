import Synchronization
import Testing

@testable import SyncCore

/// What a client makes of a server's replies.
@Suite struct ServerClientTests {
    /// A server that gives each request the next reply.
    private actor Script: Transport {
        private var replies: [HTTPResponse]
        /// The signatures of the requests.
        private(set) var signatures: [RequestSignature] = []

        init(_ replies: [HTTPResponse]) {
            self.replies = replies.reversed()
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            signatures.append(try SignedRequest(parsing: request).signature)
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
        client(over: Script(replies))
    }

    private func client(over script: Script) -> ServerClient {
        let (ticks, id) = (Ticks(), Identifier(number: 7))
        let secret = Secret(bytes: [UInt8](repeating: 7, count: 32))
        return ServerClient(
            transport: script,
            authority: "wake.example:443",
            keys: DeviceKeys(device: id, secrets: [1: secret]),
            anchor: nil,
            now: { ticks.moment },
            newIdentifier: { id }
        )
    }

    @Test func `the time of a refusal is only as exact as the request was fast`() async throws {
        let client = client([Self.skew, HTTPResponse(200)])
        _ = try await client.send(HTTPRequest("GET", "/v1/devices"))
        #expect(await client.anchor?.uncertaintyMilliseconds == 50)
    }

    /// Over three years ahead of the client.
    private static let skew = HTTPResponse(
        401,
        body: Array(
            #"{"type": "clock-skew", "server_time": 1900000000000, "challenge": "c1"}"#.utf8
        )
    )

    @Test func `a date of the server's is signed with its challenge alone`() async throws {
        let next = HTTPResponse(200, headers: ["wake-challenge": "c2"])
        let script = Script([Self.skew, next, HTTPResponse(200), Self.skew, HTTPResponse(200)])
        let client = client(over: script)
        for _ in 1...3 { _ = try await client.send(HTTPRequest("GET", "/v1/devices")) }
        let signatures = await script.signatures
        let isFar = signatures.map { $0.createdSeconds >= 1_900_000_000 }
        #expect(isFar == [false, true, true, false, true])
        let own = Identifier(number: 7).description
        #expect(signatures.map(\.nonce) == [own, "c1", "c2", own, "c1"])
    }

    @Test func `the time of a refusal counts only if the server takes its challenge`() async throws
    {
        let refusal = HTTPResponse(401, body: Array(#"{"type": "unauthorized"}"#.utf8))
        let client = client([Self.skew, refusal])
        await #expect(throws: ServerProblem.self) {
            try await client.send(HTTPRequest("GET", "/v1/devices"))
        }
        #expect(await client.anchor == nil)
    }

    private static let spaces = [Identifier(number: 1), Identifier(number: 2)]

    @Test func `CBOR without a digest may be damaged, and is not taken`() async throws {
        let headers = ["content-type": MediaType.cbor]
        let bare = HTTPResponse(200, headers: headers, body: [0xa0])
        let request = HTTPRequest("GET", "/v1/devices")
        await #expect(throws: ServerProblem.self) { try await client([bare]).send(request) }
        #expect(try await client([bare.digested]).send(request).body == [0xa0])
    }

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
