@testable import SyncCore
import Testing

@testable import SyncServer

/// Every route, asked by everyone.
@Suite struct AccessTests {
    /// A question and what its answers are.
    struct Row: Sendable, CustomTestStringConvertible {
        let route: String
        let request: @Sendable (RouteBed) -> HTTPRequest
        /// The status for the owner of the space.
        let own: Int
        /// The status for another person's device.
        let other: Int
        /// The least role of a member who gets the owner's status; others get 403.
        var least = Role.viewer
        /// Whether anyone may ask, signed or not.
        var isOpen = false

        var testDescription: String { route }
    }

    private static func space(_ bed: RouteBed) -> String { "/v1/spaces/\(bed.author.space)" }

    static let rows = [
        Row(
            route: "about",
            request: { _ in HTTPRequest("GET", "/.well-known/wake") },
            own: 200,
            other: 200,
            isOpen: true
        ),
        Row(
            route: "description",
            request: { _ in HTTPRequest("GET", "/v1/openapi.json") },
            own: 200,
            other: 200,
            isOpen: true
        ),
        Row(
            route: "enrol",
            request: { _ in HTTPRequest("POST", "/v1/enrol", body: Array("{}".utf8)) },
            own: 400,
            other: 400,
            isOpen: true
        ),
        Row(
            route: "device.list",
            request: { _ in HTTPRequest("GET", "/v1/devices") },
            own: 200,
            other: 200
        ),
        Row(
            route: "space.list",
            request: { _ in HTTPRequest("GET", "/v1/spaces") },
            own: 200,
            other: 200
        ),
        // A space that is not theirs is a problem within the reply: others may be in the request.
        Row(route: "sync", request: { $0.sync(from: $0.author) }, own: 200, other: 200),
        Row(
            route: "reconcile",
            request: { bed in
                let request = ReconcileRequest(space: bed.author.space)
                return HTTPRequest("POST", "/v1/reconcile", body: request.encoded)
            },
            own: 200,
            other: 404
        ),
        Row(
            route: "chunk.wanted",
            request: {
                HTTPRequest("POST", space($0) + "/chunks/wanted", body: Array("[]".utf8))
            },
            own: 200,
            other: 404
        ),
        Row(
            route: "chunk.put",
            request: {
                HTTPRequest("PUT", space($0) + "/chunks/\($0.chunk.hash)", body: $0.chunk.bytes)
            },
            own: 204,
            other: 404,
            least: .contributor
        ),
        Row(
            route: "chunk.get",
            request: { HTTPRequest("GET", space($0) + "/chunks/\($0.chunk.hash)") },
            own: 200,
            other: 404
        ),
        Row(
            route: "held",
            request: { HTTPRequest("GET", space($0) + "/held") },
            own: 200,
            other: 404,
            least: .admin
        ),
        // The bed names another epoch.
        Row(
            route: "entries",
            request: {
                let request = EntriesRequest(
                    space: $0.author.space,
                    epoch: Identifier(number: 5),
                    positions: [1]
                )
                return HTTPRequest("POST", "/v1/entries", body: request.encoded)
            },
            own: 409,
            other: 404
        ),
        // The bed has no cursor of its epoch.
        Row(
            route: "audit",
            request: {
                let request = AuditRequest(
                    space: $0.author.space,
                    cursor: LogPosition(epoch: Identifier(number: 5), position: 1),
                    scope: .collections
                )
                return HTTPRequest("POST", "/v1/audit", body: request.encoded)
            },
            own: 409,
            other: 404
        ),
    ]

    @Test func `the table has every route`() throws {
        #expect(
            try TestServer().service.routes.map(\.name).sorted() == Self.rows.map(\.route).sorted()
        )
    }

    @Test(arguments: rows) func `who may ask is the same everywhere`(row: Row) async throws {
        let bed = try await RouteBed()
        let request = row.request(bed)
        let unsigned = await bed.server.router.respond(to: request)
        bed.replies.check(unsigned, to: request)
        let wrong = try await bed.respond(
            to: request,
            from: bed.author,
            key: bed.stranger.deviceKeys.requestKey(epoch: 1)
        )
        let revoked = try await bed.respond(to: request, from: bed.revoked)
        let unknown = try await bed.respond(to: request, from: Author(user: 9, device: 9))
        for response in [unsigned, wrong, revoked, unknown] where !row.isOpen {
            #expect(response.isProblem(.unauthorized))
        }
        if !row.isOpen {
            // Nobody learns from the words whether a device exists.
            #expect(wrong.text == unknown.text && wrong.text == revoked.text)
        }
        #expect(try await bed.respond(to: request, from: bed.stranger).status == row.other)
        #expect(try await bed.respond(to: request, from: bed.author).status == row.own)
    }

    @Test(arguments: rows, Role.allCases)
    func `members ask what their role allows, and those who were removed nothing`(
        row: Row,
        role: Role
    ) async throws {
        var (bed, member) = (try await RouteBed(), Author(user: 12, device: 12))
        let (store, now) = (bed.server.store, bed.server.clock.wall)
        var club = try await Club(foundedBy: bed.author, in: store, at: now)
        try await club.admit(&member, as: min(role, .admin))
        if role == .owner { try await club.set(.owner, of: member) }
        try await bed.move(into: club)
        let request = row.request(bed)
        let told = try await bed.respond(to: request, from: member).status
        #expect(told == (role < row.least ? 403 : row.own))
        try await club.set(nil, of: member)
        #expect(try await bed.respond(to: request, from: member).status == row.other)
    }

    @Test func `another's space is not in the reply of a sync`() async throws {
        let bed = try await RouteBed()
        let response = try await bed.respond(
            to: bed.sync(from: bed.stranger),
            from: bed.stranger
        )
        let reply = try SyncReply(decoding: response.body)
        #expect(reply.spaces.map(\.problem) == ["not-found"])
        #expect(reply.spaces.allSatisfy { $0.page == nil && $0.results.isEmpty })
    }

    @Test func `another's replica is not told of`() async throws {
        let bed = try await RouteBed()
        let request = bed.sync(from: bed.author)
        let response = try await bed.respond(to: request, from: bed.stranger)
        #expect(try SyncReply(decoding: response.body).spaces.map(\.held) == [nil])
    }

    @Test(arguments: [-301, -300, 300, 301] as [Int64])
    func `a signature is good for five minutes`(seconds: Int64) async throws {
        let bed = try await RouteBed()
        let time = UnixTime(milliseconds: bed.server.clock.wall.milliseconds + seconds * 1000)
        let request = try bed.author.signed(HTTPRequest("GET", "/v1/devices"), at: time)
        let response = await bed.server.router.respond(to: request)
        guard abs(seconds) > 300 else { return #expect(response.status == 200) }
        #expect(response.isProblem(.clockSkew))
        #expect(response.text.contains("\"server_time\":\(bed.server.clock.wall.milliseconds)"))
    }

    @Test func `A8 a challenge is good for one request of its server's, for five minutes`()
        async throws
    {
        let bed = try await RouteBed()
        let request = HTTPRequest("GET", "/v1/devices")
        func status(_ challenge: String) async throws -> Int {
            try await bed.respond(to: request, from: bed.author, nonce: challenge).status
        }
        let random = [UInt8](repeating: 1, count: 8)
        let (now, own) = (bed.server.clock.wall, Challenge(Author.serverKeys))
        let challenge = own.make(at: now, random: random)
        let first = try await bed.respond(to: request, from: bed.author, nonce: challenge)
        #expect(first.status == 200)
        #expect(first.headers["wake-challenge"].map(Challenge.isChallenge) == true)
        #expect(try await status(challenge) == 401)
        #expect(try await status(try #require(first.headers["wake-challenge"])) == 200)
        for (seconds, isGood) in [(-301, false), (-300, true), (300, true), (301, false)] {
            let made = UnixTime(milliseconds: now.milliseconds + Int64(seconds) * 1000)
            let status = try await status(own.make(at: made, random: random))
            #expect(status == (isGood ? 200 : 401), "\(seconds) s")
        }
        let other = Challenge(ServerKeys(master: Secret(bytes: [8])))
        #expect(try await status(other.make(at: now, random: random)) == 401)
        for place in challenge.indices {
            var altered = own.make(at: now, random: [2, 2, 2, 2, 2, 2, 2, 2])
            altered.replaceSubrange(place...place, with: altered[place] == "A" ? "B" : "A")
            #expect(try await status(altered) == 401)
        }
    }

    @Test(arguments: ["x", "0", "zzzzzzzzzzzzzzzzzzzzzzzzzz", "%00", "..", "'"])
    func `an id that is none is as unknown as one that is not there`(id: String) async throws {
        let bed = try await RouteBed()
        for (method, path) in [
            ("GET", "/v1/spaces/\(id)/chunks/\(id)"), ("GET", "/v1/spaces/\(id)/held"),
        ] {
            let response = try await bed.respond(to: HTTPRequest(method, path), from: bed.author)
            #expect(response.isProblem(.notFound), "\(method) \(path)")
        }
    }
}
