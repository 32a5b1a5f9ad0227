@testable import SyncCore
import Testing

@testable import SyncServer

/// What `POST /v1/sync` takes and refuses.
@Suite struct SyncRouteTests {
    private func results(
        _ items: [[UInt8]],
        from author: Author,
        _ bed: RouteBed
    ) async throws -> [PushResult] {
        let response = try await bed.respond(to: bed.sync(items, from: author), from: author)
        #expect(response.status == 200)
        let reply = try SyncReply(decoding: response.body)
        #expect(reply.spaces.count == 1 && reply.spaces[0].page != nil)
        return reply.spaces[0].results
    }

    private func item(_ sealed: Seal.Sealed, body: [UInt8]? = nil) -> [UInt8] {
        PushItem(upload: sealed.upload, body: body ?? sealed.body).encoded
    }

    @Test func `N13 a poisoned item among good ones harms no other`() async throws {
        let bed = try await RouteBed()
        var author = bed.author
        let (first, second) = (try author.next(), try author.next())
        var flipped = first.upload
        flipped[flipped.count - 1] ^= 1
        var foreign = bed.stranger
        var elsewhere = Author(user: 16, device: 1)
        let items = [
            [0xff], item(first), [], PushItem(upload: flipped, body: first.body).encoded,
            item(try foreign.next()), item(second, body: first.body),
            item(try elsewhere.next()), PushItem(upload: second.upload, body: nil).encoded,
            item(second), item(first) + [0],
        ]
        let results = try await results(items, from: bed.author, bed)
        let before = author.person.controls + 1
        let expected: [PushResult] = [
            .failed(.badEncoding, 0), .judged(position: before + 1, .accepted, reason: ""),
            .failed(.badEncoding, 0), .failed(.badMAC, 0), .failed(.badEncoding, 0),
            .failed(.badEncoding, 0), .failed(.badEncoding, 0), .failed(.badEncoding, 0),
            .judged(position: before + 2, .accepted, reason: ""), .failed(.badEncoding, 0),
        ]
        #expect(results == expected)
    }

    @Test(arguments: [true, false]) func `a chunk with other bytes is refused with its set`(
        isDamaged: Bool
    ) async throws {
        let bed = try await RouteBed()
        var author = bed.author
        let (chunk, other) = (Author.chunk(2), Author.chunk(3))
        let sealed = try author.next(chunk.cell)
        let bytes = isDamaged ? Array(chunk.bytes.dropLast()) : other.bytes
        let item = PushItem(upload: sealed.upload, body: sealed.body, chunks: [bytes])
        let results = try await results([item.encoded], from: author, bed)
        #expect(results == [.failed(.badEncoding, 0)])
        let lacking = try await bed.server.store.lacking(
            [chunk.hash, other.hash],
            in: author.space,
            for: author.device
        )
        #expect(lacking == [chunk.hash, other.hash])
    }

    @Test(arguments: [(64, 1, 200), (65, 1, 413), (1, 1000, 200), (1, 1001, 413), (2, 501, 413)])
    func `a request has so many spaces and sets`(
        spaces: Int,
        items: Int,
        status: Int
    ) async throws {
        let bed = try await RouteBed()
        let request = SyncRequest(
            spaces: (0..<spaces).map {
                SyncRequest.SpaceRequest(
                    space: Identifier(number: UInt128($0)),
                    replica: .zero,
                    cursor: .none,
                    items: [[UInt8]](repeating: [], count: items)
                )
            }
        )
        let response = try await bed.respond(
            to: HTTPRequest("POST", "/v1/sync", body: request.encoded),
            from: bed.author
        )
        #expect(response.status == status)
        if status == 413 { #expect(response.isProblem(.tooLarge)) }
    }

    @Test(arguments: [[], [0xff], [0xa1, 0x01], [0xa0, 0x00], [0xa1, 0x01, 0x9b, 0x7f, 0xff]])
    func `what is no request is told so`(body: [UInt8]) async throws {
        let bed = try await RouteBed()
        let response = try await bed.respond(
            to: HTTPRequest("POST", "/v1/sync", body: body),
            from: bed.author
        )
        #expect(response.isProblem(.badEncoding))
    }

    @Test func `with a cursor of another epoch nothing is taken, and the head is told`()
        async throws
    {
        let bed = try await RouteBed()
        var author = bed.author
        let head = author.head
        let cursor = LogPosition(epoch: Identifier(number: 5), position: 1)
        let request = bed.sync([item(try author.next())], cursor: cursor, from: author)
        let response = try await bed.respond(to: request, from: author)
        let reply = try SyncReply(decoding: response.body).spaces[0]
        #expect(reply.problem == "cursor-reset" && reply.page == nil)
        #expect(reply.results.isEmpty)
        #expect(reply.held?.head == head)
    }

    @Test func `a cursor beyond the log is of another history`() async throws {
        let bed = try await RouteBed()
        let cursor = LogPosition(epoch: await bed.server.store.epoch, position: 99)
        let response = try await bed.respond(
            to: bed.sync(cursor: cursor, from: bed.author),
            from: bed.author
        )
        #expect(try SyncReply(decoding: response.body).spaces[0].problem == "cursor-reset")
    }

    @Test func `the page has what was just pushed and the fingerprint of the end`() async throws {
        let bed = try await RouteBed()
        var author = bed.author
        let request = bed.sync([item(try author.next())], from: author)
        let response = try await bed.respond(to: request, from: author)
        let page = try #require(try SyncReply(decoding: response.body).spaces[0].page)
        let head = author.person.controls + 2
        #expect(UInt64(page.entries.count) == head && page.head == head)
        #expect(page.fingerprint != nil && page.controls == author.person.controls)
    }
}
