import Foundation
import Testing

@testable import SyncCore
@testable import SyncServer

/// Sets that come back from an earlier log of the same server, one by one.
@Suite struct ReconcileRouteTests {
    private let bed: RouteBed
    /// The owner, whose first set is in the log.
    private let author: Author

    init() async throws {
        bed = try await RouteBed()
        author = bed.author
    }

    /// A set as it is brought back; `judged` with the receipt that the earlier log gave for that.
    private func item(
        _ sealed: Seal.Sealed,
        judged: Verdict? = nil,
        body: [UInt8]?? = .none
    ) throws -> [UInt8] {
        let upload = try Upload(parsing: sealed.upload)
        let receipts = MACKey(Author.serverKeys.receiptSecret.bytes)
        return RefillItem(
            item: PushItem(upload: sealed.upload, body: body ?? sealed.body).encoded,
            verdict: judged,
            receipt: judged.map { receipts.tag(of: upload.name.judged($0)) }
        )
        .encoded
    }

    private func refill(
        _ items: [UInt8]...,
        asking replica: Identifier? = nil
    ) async throws -> ReconcileReply {
        var request = ReconcileRequest(space: author.space)
        request.items = items
        if let replica { request.vector = [replica: ReplicaHead(sequence: 0, hash: .zero)] }
        let response = try await bed.respond(
            to: HTTPRequest("POST", "/v1/reconcile", body: request.encoded),
            from: author
        )
        return try ReconcileReply(decoding: response.body)
    }

    private func seal(of author: Author, _ sequence: UInt64, after previous: Digest) -> Seal {
        Seal(
            space: author.space,
            device: author.device,
            replica: author.replica,
            sequence: sequence,
            previous: previous,
            seen: author.seal.seen
        )
    }

    /// What is said of the next set of a chain.
    private func push(_ set: PushedSet) async throws -> PushResult? {
        try await bed.server.store.append(
            [set],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        .first
    }

    @Test func `a set that comes back late leaves its replica's last where it is`() async throws {
        var author = author
        let sets = try (0..<3).map { _ in try author.next() }
        for set in [sets[2], sets[0], sets[1]] {
            let result = try await refill(item(set, judged: .accepted)).results[0]
            #expect(result.verdict == .accepted)
        }
        let heads = try await refill(asking: author.replica).heads
        #expect(heads[author.replica] == author.head)
        #expect(try await push(author.push())?.verdict == .accepted)
    }

    @Test func `the chunks of a set that comes back are asked for`() async throws {
        var author = author
        let chunk = Author.chunk(2)
        let set = try author.next(chunk.cell)
        _ = try await refill(item(set, judged: .accepted))
        let wanted = try await bed.server.store.wantedChunks(of: author.space, for: author.device)
        #expect(wanted == [chunk.hash])
    }

    @Test func `a replica takes no third set where two go by one name`() async throws {
        var author = author
        let clone = try author.sealed([Author.key: .text("clone")])
        let set = try author.next()
        for one in [clone, set] {
            let result = try await refill(item(one, judged: .accepted)).results[0]
            #expect(result.verdict == .accepted)
        }
        // It follows the one of the two that counts as the last.
        let last = try await refill(asking: author.replica).heads[author.replica]
        let forged = seal(of: author, 3, after: try #require(last).hash)
        let third = try author.pushed(try author.sealed([Author.key: .null], after: forged))
        #expect(try await push(third) == .failed(.fork, 3))
    }

    @Test func `who wrote under another device's name goes on under it no more`() async throws {
        var squatter = author
        squatter.replica = bed.revoked.replica
        let forged = seal(of: squatter, 1, after: .zero)
        let squatted = try squatter.sealed([Author.key: .text("theirs")], after: forged)
        #expect(try await push(squatter.pushed(squatted))?.verdict == .accepted)
        var owner = bed.revoked
        _ = try owner.next()
        let second = try owner.next()
        let result = try await refill(item(second, judged: .accepted)).results[0]
        #expect(result.verdict == .accepted)
        let next = seal(of: squatter, 3, after: second.hash)
        let third = try squatter.pushed(squatter.sealed([Author.key: .null], after: next))
        #expect(try await push(third) == .failed(.fork, 3))
    }

    @Test func `what an unknown device never sent is not let in without a receipt`() async throws {
        var unknown = Author(device: 99)
        let set = try unknown.next()
        #expect(try await refill(item(set)).results == [.failed(.unauthorized, 0)])
    }

    @Test func `a receipt lets nothing in that its device did not sign`() async throws {
        var author = author
        let set = try author.next()
        var upload = set.upload
        upload[upload.count - 1] ^= 1
        let altered = Seal.Sealed(upload: upload, body: set.body, hash: set.hash)
        let husk = try item(altered, judged: .refused, body: .some(nil))
        #expect(try await refill(husk).results == [.failed(.badMAC, 0)])
    }

    @Test func `a receipt lets no other body in`() async throws {
        var author = author
        let set = try author.next()
        let other = try author.next()
        let items = try item(set, judged: .accepted, body: .some(other.body))
        #expect(try await refill(items).results == [.failed(.badEncoding, 0)])
    }

    @Test func `a set of another space does not come back into this one`() async throws {
        var elsewhere = Author(user: 16, device: 1)
        let set = try elsewhere.next()
        #expect(
            try await refill(item(set, judged: .accepted)).results == [.failed(.badEncoding, 0)]
        )
    }
}
