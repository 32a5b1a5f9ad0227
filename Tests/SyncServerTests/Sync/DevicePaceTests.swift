import SyncCore
import Testing

@testable import SyncServer

@Suite struct DevicePaceTests {
    private func server(perSecond: Int, burst: Int) throws -> TestServer {
        var limits = SyncServer.Limits()
        (limits.requestsPerDeviceSecond, limits.requestsPerDeviceBurst) = (perSecond, burst)
        return try TestServer(limits: limits)
    }

    @Test func `a device has its burst and not a request more, and others have theirs`()
        async throws
    {
        let server = try server(perSecond: 1, burst: 3)
        let ann = try TestDevice("ann", server)
        let bob = try TestDevice("bob", server)
        for device in [ann, bob] { try await device.join(try await server.invite()) }
        let list = HTTPRequest("GET", "/v1/devices")
        for _ in 0..<3 { _ = try await ann.client().send(list) }
        let refusal = await #expect(throws: ServerProblem.self) {
            _ = try await ann.client().send(list)
        }
        #expect(refusal?.type == .rateLimited)
        _ = try await bob.client().send(list)
        server.clock.advance(by: 1000)
        _ = try await ann.client().send(list)
    }

    @Test func `however many views are rebuilt, one that was rebuilt waits`() {
        let pace = DevicePace(SyncServer.Limits(), uptime: { .seconds(1000) })
        #expect(pace.secondsTooEarly(toRebuild: Identifier(number: 0)) == nil)
        for number in 1...20_000 as ClosedRange<UInt128> {
            _ = pace.secondsTooEarly(toRebuild: Identifier(number: number))
        }
        #expect(pace.secondsTooEarly(toRebuild: Identifier(number: 0)) == 600)
    }

    @Test func `who signs nothing right takes nothing from the device that he names`()
        async throws
    {
        let server = try server(perSecond: 1, burst: 1)
        let ann = try TestDevice("ann", server)
        try await ann.join(try await server.invite())
        let forge = RouterTransport(router: server.router)
        for _ in 0..<10 {
            var request = HTTPRequest("GET", "/v1/devices")
            let signature = RequestSignature(
                createdSeconds: server.clock.wall.milliseconds / 1000,
                nonce: "n",
                keyIdentifier: try await ann.replica.read { try $0.identity.current() }.device
                    .description
            )
            request.sign(signature, authority: server.authority, key: MACKey([1]))
            #expect(try await forge.send(request).status == 401)
        }
        _ = try await ann.client().send(HTTPRequest("GET", "/v1/devices"))
    }

    @Test func `a sync that is too fast waits and ends well`() async throws {
        let server = try server(perSecond: 20, burst: 2)
        let ann = try TestDevice("ann", server)
        try await ann.join(try await server.invite())
        let slowed = Locked(0)
        var transport = RouterTransport(router: server.router)
        transport.after = { _, response in
            if response.status == 429 { slowed.withLock { $0 += 1 } }
            return response
        }
        for number in 0..<5 {
            try await ann.set("name", .text(Text("\(number)")), of: Identifier(number: 42))
            #expect(try await ann.sync(over: transport).end == .complete)
        }
        #expect(slowed.withLock { $0 } > 0)
    }
}
