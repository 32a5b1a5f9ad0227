@testable import SyncCore
import Testing

@testable import SyncServer

/// Sets that wait for an admin, and what becomes of them.
@Suite struct HeldRouteTests {
    private let bed: RouteBed
    private let author: Author
    private let set: PushedSet
    private let path: String
    /// Where the held set is in the log.
    private let position: UInt64

    /// A bed whose second set is held.
    init() async throws {
        bed = try await RouteBed()
        var author = bed.author
        let pushed = try author.push([Author.key: .text("held")])
        set = PushedSet(
            upload: pushed.upload,
            body: pushed.body,
            content: .unusable(.held, reason: "quota"),
            chunks: [:]
        )
        self.author = author
        path = "/v1/spaces/\(author.space)/held"
        position = author.person.controls + 2
        let result = try await bed.server.store.append(
            [set],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        #expect(result == [.judged(position: position, .held, reason: "quota")])
    }

    private func list() async throws -> [LogEntry] {
        let response = try await bed.respond(to: HTTPRequest("GET", path), from: author)
        return try EntriesReply(decoding: response.body).entries
            .map { try LogEntry(decoding: $0[...]) }
    }

    private func decide(_ action: ([SetReference]) -> ControlAction) async throws {
        let decision = try author.person.control([action([SetReference(of: set.upload)])])
        let results = try await bed.server.store.append(
            [decision],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        #expect(results.map(\.verdict) == [.accepted])
    }

    private func page() async throws -> Page {
        try await bed.server.store.page(
            of: author.space,
            after: 0,
            for: author.device,
            byteLimit: 1 << 20
        )
    }

    private func expectSound() throws {
        let database = try Database(path: bed.server.folder.path + "/store.db")
        let inspection = try Inspection(
            of: SQLiteSnapshot(database: database),
            keys: Author.serverKeys
        )
        #expect(inspection.findings.words == [])
    }

    @Test func `an owner sees what was sealed, and why it waits`() async throws {
        let entry = try #require(try await list().first)
        #expect(entry.position == position && entry.reason == "quota")
        #expect(entry.content == .set(upload: set.upload.bytes, .held) && entry.body == set.body)
    }

    @Test func `an adopted set counts for the server, too`() async throws {
        let views = bed.server.service.views
        let before = try await views.fingerprint(of: author.space, at: position)
        try await decide(ControlAction.adopt)
        #expect(try await list().isEmpty)
        let after = try await views.fingerprint(of: author.space, at: position + 1)
        let cell = try ChangeSet(relaying: set.upload, body: set.body, from: author.deviceKeys)
        var expected = try #require(before)
        for change in cell.changes { expected.add(change.digest) }
        #expect(after == expected)
        await views.rebuild(author.space)
        #expect(try await views.fingerprint(of: author.space, at: position + 1) == expected)
        try expectSound()
    }

    @Test func `a set that was turned down leaves nothing`() async throws {
        let views = bed.server.service.views
        let before = try await views.fingerprint(of: author.space, at: position)
        try await decide(ControlAction.decline)
        #expect(try await list().isEmpty)
        #expect(try await views.fingerprint(of: author.space, at: position + 1) == before)
        try expectSound()
    }

    @Test func `an author is told of an adopted set what was told before`() async throws {
        try await decide(ControlAction.adopt)
        let again = try await bed.server.store.append(
            [set],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        #expect(again == [.judged(position: position, .held, reason: "quota")])
        var author = author
        let next = try await bed.server.store.append(
            [try author.push()],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        #expect(next == [.judged(position: position + 2, .accepted, reason: "")])
        try expectSound()
    }

    @Test(arguments: [Role.admin, .editor, .contributor, .viewer])
    func `owners and admins see held sets, others do not`(role: Role) async throws {
        let (store, now) = (bed.server.store, bed.server.clock.wall)
        var club = try await Club(foundedBy: bed.author, in: store, at: now)
        var (owner, member) = (club.owner, bed.stranger)
        try await club.admit(&member, as: role)
        let set = try owner.push().held()
        _ = try await store.append([set], to: club.space, by: owner.row, at: now)
        let path = "/v1/spaces/\(club.space)/held"
        let isAdmin = role == .admin
        let seen = try await bed.respond(to: HTTPRequest("GET", path), from: member)
        #expect(seen.status == (isAdmin ? 200 : 403))
    }

    @Test func `a server that cannot read what was adopted tells no fingerprint`() async throws {
        try await decide(ControlAction.adopt)
        let database = try Database(path: bed.server.folder.path + "/store.db")
        let broken: [UInt8] = [0]
        try database.run("UPDATE log SET body = \(broken) WHERE position = \(position)")
        let views = bed.server.service.views
        #expect(try await views.fingerprint(of: author.space, at: position + 1) == nil)
        var author = author
        _ = try await bed.server.store.append(
            [try author.push()],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        #expect(try await views.fingerprint(of: author.space, at: position + 2) == nil)
    }
}
