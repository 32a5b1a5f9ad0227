@testable import SyncCore

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
    let stranger = Author(user: 2, device: 2)
    /// The owner's other device.
    let revoked = Author(device: 3)

    init() async throws {
        server = try TestServer(clock: TestClock())
        replies = DescribedReplies(server.service)
        for device in [author, stranger, revoked] { try await enrol(device) }
        try await server.store.createSpace(author.space, owner: author.user)
        try await server.store.revoke(revoked.device, of: revoked.user)
        let set = try author.push(chunk.cell, chunks: [chunk.bytes])
        _ = try await server.store.append(
            [set],
            to: author.space,
            by: author.row,
            at: server.clock.wall
        )
    }

    private func enrol(_ author: Author) async throws {
        let invitation = Invitation(
            token: Digest(of: author.device.bytes),
            user: author.user,
            space: nil,
            wrappedKey: nil,
            expires: UnixTime(milliseconds: .max)
        )
        try await server.store.addUser(author.user, name: "Ann", invitation: invitation)
        _ = try await server.store.enrol(
            NewDevice(id: author.device, name: "device", publicKey: [1]),
            token: invitation.token,
            at: server.clock.wall
        )
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
