import SyncCore
import Testing

@testable import SyncServer

/// Two devices of one person that joined a server and are in step.
struct Couple: Sendable {
    let server: TestServer
    let boat: TestDevice
    let phone: TestDevice
    /// A track that both write to.
    let track = Identifier(number: 42)

    init() async throws {
        server = try TestServer()
        boat = try TestDevice("boat", server)
        phone = try TestDevice("phone", server)
        try await boat.join(try await server.invite())
        try await boat.sync()
        try await phone.join(try await boat.link())
        for device in [phone, boat] { try await device.sync() }
    }

    var devices: [TestDevice] { [boat, phone] }

    /// Has both send and fetch all there is: then they are equal, whole and sound, but for so many
    /// sets that nobody can open.
    func settle(
        unopened: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for device in devices + devices { try await device.sync() }
        let isEqual = try await boat.fingerprint() == phone.fingerprint()
        #expect(isEqual, sourceLocation: sourceLocation)
        for device in devices {
            let faults = try await device.replica.read { try $0.maintenance.verify() }.faults
            #expect(faults.count == unopened, "\(faults)", sourceLocation: sourceLocation)
            let status = try await device.replica.read { try $0.maintenance.status() }
            #expect(status.isSent && status.mismatches == 0, sourceLocation: sourceLocation)
        }
    }

    /// How many sets the space's log has.
    func head() async throws -> UInt64 {
        let space = try await boat.space()
        return try await server.store.page(of: space, after: 0, for: nil, byteLimit: 1).head
    }
}

extension TestServer {
    /// Another server on a copy of this one's store as it is now, under its epoch or a new one.
    ///
    /// - Parameter reserveByteCount: what it holds back of its disk.
    func copied(newEpoch: Bool, reserveByteCount: Int64 = 0) async throws -> TestServer {
        let copy = try TestFolder()
        let path = copy.path + "/store.db"
        try Database(path: folder.path + "/store.db").run("VACUUM INTO \(path)")
        if newEpoch {
            try SQLiteTables(database: try Database(path: path))
                .beginEpoch(Replica.randomIdentifier())
        }
        return try TestServer(clock: clock, folder: copy, reserveByteCount: reserveByteCount)
    }

    var transport: RouterTransport { RouterTransport(router: router) }

    /// What is wrong with the store, in words.
    func findings() async throws -> [String] {
        let keys = service.keys
        return try await store.readSnapshot { try Inspection(of: $0, keys: keys).findings.words }
    }
}

extension [TestDevice] {
    /// Has all send to and fetch from a server all there is: then they are equal, whole and sound,
    /// and so is the server.
    ///
    /// - Parameter expectsBreach: whether the devices must report two histories of one epoch.
    func settle(
        with server: TestServer,
        expectsBreach: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for device in self + self + self {
            let result = try await device.sync(over: server.transport)
            #expect(result.end == .complete, "\(result)", sourceLocation: sourceLocation)
        }
        let space = try await self[0].space()
        let head = try await server.store.page(of: space, after: 0, for: nil, byteLimit: 1).head
        let view = try await server.service.views.fingerprint(of: space, at: head)
        let findings = try await server.findings()
        #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
        for device in self {
            let isEqual = try await device.fingerprint() == view
            #expect(isEqual, sourceLocation: sourceLocation)
            let breaches = try await device.replica.read { try $0.breaches.all() }
            let kinds = Set(breaches.map(\.kind))
            #expect(kinds == (expectsBreach ? [.twoHistories] : []), sourceLocation: sourceLocation)
            let faults = try await device.replica.read { try $0.maintenance.verify() }.faults
            #expect(faults == breaches.map(\.description), sourceLocation: sourceLocation)
            let status = try await device.replica.read { try $0.maintenance.status() }
            #expect(status.isSent && status.mismatches == 0, sourceLocation: sourceLocation)
            let hasOrphans = try await device.replica.read { try $0.backfill.hasOrphans(in: space) }
            #expect(!hasOrphans, sourceLocation: sourceLocation)
        }
    }
}

/// A network that ends every connection once it has carried so many bytes of replies.
struct CuttingTransport: Transport {
    let router: Router
    /// What can still be carried.
    let budget: Locked<Int>
    /// Paths whose replies arrived whole.
    let arrived: Locked<[String]>

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = await router.respond(to: request)
        let isWhole = budget.withLock { budget in
            budget -= response.body.count
            return budget >= 0
        }
        guard isWhole else { throw TransportError.timedOut(authority: "test:1") }
        arrived.withLock { $0.append(request.path) }
        return response
    }
}

/// A server that tells devices of another log than it has.
struct LyingTransport: Transport {
    let router: Router
    /// What becomes of an entry that it sends again.
    var again: @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
    let lie: @Sendable (inout SyncReply.SpaceReply) throws -> Void

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = await router.respond(to: request)
        guard response.status == 200 else { return response }
        switch request.path {
        case "/v1/sync":
            var reply = try SyncReply(decoding: response.body)
            for index in reply.spaces.indices { try lie(&reply.spaces[index]) }
            return HTTPResponse(200, headers: response.headers, body: reply.encoded).digested
        case "/v1/entries":
            var reply = try EntriesReply(decoding: response.body)
            reply.entries = try reply.entries.map(again)
            return HTTPResponse(200, headers: response.headers, body: reply.encoded).digested
        default: return response
        }
    }
}

extension TestServer {
    /// This server, but for the signatures over heads in the entries that it sends.
    func altering(_ change: @escaping @Sendable (Signature) -> Signature?) -> LyingTransport {
        let altered: @Sendable ([UInt8]) throws -> [UInt8] = { bytes in
            var entry = try LogEntry(decoding: bytes[...])
            entry.headSignature = entry.headSignature.flatMap(change)
            return entry.encoded
        }
        return LyingTransport(router: router, again: altered) { reply in
            guard var page = reply.page else { return }
            page.entries = try page.entries.map(altered)
            reply.page = page
        }
    }
}
