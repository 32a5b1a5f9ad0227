@testable import SyncCore
import Testing

@testable import SyncServer

/// A whole server without a socket, one member with a space, a set and a chunk in it, a stranger,
/// and a device of the member's that was revoked.
struct RouteBed: Sendable {
    let server: TestServer
    let replies: DescribedReplies
    let chunk = Author.chunk(1)
    /// The owner of the space.
    private(set) var author = Author(device: 1)
    /// Another person's device.
    let stranger = Author(user: 12, device: 12)
    /// The owner's other device.
    let revoked = Author(device: 3)

    init() async throws {
        server = try TestServer(clock: TestClock())
        replies = DescribedReplies(server.service)
        for author in [author, stranger] {
            try await author.person.found(in: server.store, at: server.clock.wall)
        }
        try await server.store.replayRevocations([revoked.device])
        let set = try author.push(chunk.cell, chunks: [chunk.bytes])
        _ = try await server.store.append(
            [set],
            to: author.space,
            by: author.row,
            at: server.clock.wall
        )
    }

    /// Has the member and the requests be of a shared space, which gets the chunk, too.
    mutating func move(into club: Club) async throws {
        author = club.owner
        club.place(&author)
        let set = try author.push(chunk.cell, chunks: [chunk.bytes])
        let results = try await server.store.append(
            [set],
            to: club.space,
            by: author.row,
            at: server.clock.wall
        )
        #expect(results.map(\.verdict) == [.accepted])
    }

    /// Answers a request that a device signs; the reply is one that `openapi.json` describes.
    func respond(
        to request: HTTPRequest,
        from author: Author,
        nonce: String? = nil,
        key: MACKey? = nil
    ) async throws -> HTTPResponse {
        let time = server.clock.wall
        let signed = try author.signed(request, at: time, nonce: nonce, key: key)
        let response = await server.router.respond(to: signed)
        replies.check(response, to: signed)
        return response
    }

    /// A request of `POST /v1/sync` about the author's space.
    func sync(
        _ items: [[UInt8]] = [],
        cursor: LogPosition = .none,
        from author: Author
    ) -> HTTPRequest {
        let space = SyncRequest.SpaceRequest(
            space: self.author.space,
            replica: author.replica,
            cursor: cursor,
            items: items
        )
        return HTTPRequest("POST", "/v1/sync", body: SyncRequest(spaces: [space]).encoded)
    }
}

extension HTTPResponse {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether it is the problem document of this type.
    func isProblem(_ type: ProblemType) -> Bool {
        status == type.status && headers["content-type"] == "application/problem+json"
            && text.contains("\"type\":\"\(type.rawValue)\"")
    }
}
