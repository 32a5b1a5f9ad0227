import Foundation
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

    private func list() async throws -> [HeldRecord] {
        let response = try await bed.respond(to: HTTPRequest("GET", path), from: author)
        return try response.json(HeldList.self).held
    }

    private func settle(
        _ decision: String,
        _ name: String? = nil,
        from asking: Author? = nil
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(
            "POST",
            path + "/" + (name ?? "\(author.replica)/2"),
            body: Array("{\"decision\":\"\(decision)\"}".utf8)
        )
        return try await bed.respond(to: request, from: asking ?? author)
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

    @Test func `an owner sees who sealed what, and why it waits`() async throws {
        let record = HeldRecord(
            replica: author.replica.description,
            sequence: 2,
            reason: "quota",
            device: author.device.description,
            deviceName: "device",
            cells: 1,
            received: bed.server.clock.wall.milliseconds
        )
        #expect(try await list() == [record])
    }

    @Test func `an adopted set counts from its own position on`() async throws {
        let views = bed.server.service.views
        let before = try await views.fingerprint(of: author.space, at: position)
        #expect(try await settle("adopt").status == 204)
        #expect(try await list() == [])
        let page = try await page()
        let entry = try #require(try page.logEntries.last)
        #expect(page.head == position + 1 && entry.position == page.head && entry.body == set.body)
        let adoption = LogEntry.Content.adoption(
            replica: author.replica,
            sequence: 2,
            hash: set.upload.hash,
            admin: author.device
        )
        #expect(entry.content == adoption)
        #expect(try page.logEntries[Int(position) - 1].body == nil)
        let after = try await views.fingerprint(of: author.space, at: position + 1)
        let cell = try ChangeSet(relaying: set.upload, body: set.body, from: author.deviceKeys)
        var expected = try #require(before)
        for change in cell.changes { expected.add(change.digest) }
        #expect(after == expected)
        try expectSound()
    }

    @Test func `a set that was turned down leaves nothing`() async throws {
        #expect(try await settle("refuse").status == 204)
        #expect(try await list() == [])
        #expect(try await page().head == position)
        try expectSound()
    }

    @Test(arguments: [("adopt", "refuse"), ("refuse", "adopt")])
    func `a decision can be repeated and not be undone`(
        decision: String,
        other: String
    ) async throws {
        for _ in 0..<2 { #expect(try await settle(decision).status == 204) }
        #expect(try await settle(other).isProblem(.notFound))
        #expect(try await page().head == position + (decision == "adopt" ? 1 : 0))
    }

    @Test func `an author is told of an adopted set what was told before`() async throws {
        _ = try await settle("adopt")
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
    func `owners and admins decide, others may not even look`(role: Role) async throws {
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
        let decision = HTTPRequest(
            "POST",
            path + "/\(owner.replica)/\(set.upload.header.sequence)",
            body: Array("{\"decision\":\"adopt\"}".utf8)
        )
        let decided = try await bed.respond(to: decision, from: member)
        #expect(decided.status == (isAdmin ? 204 : 403))
        let count = try await store.held(in: club.space, for: owner.device).count
        #expect(count == (isAdmin ? 0 : 1))
    }

    @Test func `what is no held set is not there`() async throws {
        let replica = author.replica
        for name in [
            "\(replica)/1", "\(replica)/3", "\(replica)/0", "\(replica)/02", "\(replica)/x",
            "\(replica)/18446744073709551616", "\(replica)/9223372036854775808",
            "\(Identifier.zero)/2", "x/2",
        ] { #expect(try await settle("adopt", name).isProblem(.notFound), "\(name)") }
        #expect(try await settle("later").isProblem(.badEncoding))
    }

    @Test func `a set whose body nobody brought cannot be adopted yet`() async throws {
        let database = try Database(path: bed.server.folder.path + "/store.db")
        try database.run("UPDATE log SET body = NULL WHERE position = \(position)")
        #expect(try await settle("adopt").isProblem(.unavailable))
        #expect(try await list().count == 1)
        #expect(try await page().head == position)
        #expect(try await settle("refuse").status == 204)
    }

    @Test func `a server that cannot read what it adopted tells no fingerprint`() async throws {
        _ = try await settle("adopt")
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

extension HTTPResponse {
    fileprivate func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        try JSONDecoder().decode(type, from: Data(body))
    }
}
