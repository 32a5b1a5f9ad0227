@testable import SyncCore
import Testing

@testable import SyncServer

/// The sums of a view over the wire.
@Suite struct AuditRouteTests {
    private let server: TestServer
    private let boat: TestDevice
    private let space: Identifier

    init() async throws {
        server = try TestServer()
        boat = try TestDevice("boat", server)
        try await boat.join(try await server.invite())
        for number in 1...30 {
            try await boat.set("name", .integer(1), of: Identifier(number: UInt128(number)))
        }
        try await boat.sync()
        space = try await boat.space()
    }

    private func ask(
        _ scope: AuditScope = .collections,
        cursor: LogPosition? = nil,
        rebuilds: Bool = false,
        from device: TestDevice? = nil
    ) async throws -> AuditReply {
        let merged = try unwrapped(try await boat.replica.read { try $0.spaces.all() }.first).merged
        let request = AuditRequest(
            space: space,
            cursor: cursor ?? merged,
            scope: scope,
            rebuilds: rebuilds
        )
        let response = try await (device ?? boat).client().send(
            HTTPRequest("POST", "/v1/audit", body: request.encoded)
        )
        return try AuditReply(decoding: response.body, for: scope)
    }

    /// What a question is refused with.
    private func refusal(
        cursor: LogPosition? = nil,
        rebuilds: Bool = false,
        from device: TestDevice? = nil
    ) async throws -> ProblemType? {
        do {
            _ = try await ask(cursor: cursor, rebuilds: rebuilds, from: device)
            return nil
        } catch let problem as ServerProblem {
            return problem.type
        }
    }

    /// Damages the view's file, which the server has open.
    private func damageView(_ sql: String) throws {
        try Database(path: "\(server.folder.path)/views/\(space).db").execute(sql)
    }

    @Test func `view and device have the same sums, down to the rows`() async throws {
        for scope in [AuditScope.collections, .buckets(of: "track"), .rows(of: "track", bucket: 9)]
        {
            let own = try await boat.replica.read { try $0.audit.sums(space, scope) }
            let reply = try await ask(scope)
            #expect(reply.sums == own.sums && reply.position == own.cursor.position)
        }
        #expect(try await ask(.buckets(of: "track")).sums.count > 10)
    }

    @Test func `another epoch, another position and another's space are told apart`() async throws {
        let merged = try unwrapped(try await boat.replica.read { try $0.spaces.all() }.first).merged
        let epoch = LogPosition(epoch: Identifier(number: 1), position: merged.position)
        #expect(try await refusal(cursor: epoch) == .cursorReset)
        for position in [merged.position - 1, merged.position + 1, UInt64(Int64.max)] {
            let cursor = LogPosition(epoch: merged.epoch, position: position)
            #expect(try await refusal(cursor: cursor) == .unavailable)
        }
        let stranger = try TestDevice("stranger", server)
        try await stranger.join(try await server.invite())
        try await stranger.sync()
        #expect(try await refusal(from: stranger) == .notFound)
        #expect(try await refusal() == nil)
    }

    @Test func `S8 a view that is wrong is built again when a device asks, once in a while`()
        async throws
    {
        try damageView("UPDATE row SET base = x'' WHERE collection = 'track'")
        let own = try await boat.replica.read { try $0.audit.sums(space, .collections) }.sums
        #expect(try await ask().sums != own)
        #expect(try await ask(rebuilds: true).sums == own)
        #expect(try await refusal(rebuilds: true) == .rateLimited)
        #expect(try await ask().sums == own)
        server.clock.advance(by: 599_000)
        #expect(try await refusal(rebuilds: true) == .rateLimited)
        server.clock.advance(by: 1000)
        #expect(try await refusal(rebuilds: true) == nil)
        #expect(try await ask().sums == own)
    }

    @Test func `a view that is made anew while others ask serves all of them`() async throws {
        let own = try await boat.replica.read { try $0.audit.sums(space, .collections) }.sums
        try await withThrowingTaskGroup(of: [AuditSum].self) { group in
            for index in 0..<20 {
                group.addTask {
                    if index % 4 == 0 { await server.service.views.rebuild(space) }
                    return try await ask().sums
                }
            }
            for try await sums in group { #expect(sums == own) }
        }
    }
}
