import Harness
import SyncCore
import Testing

@testable import SyncServer

/// Limits where they act, at a socket; the deadlines themselves are those of `HTTPConnectionStateTests`.
@Suite(.hangLimit) struct ListenerLimitTests {
    func withListener(
        _ settings: Listener.Settings,
        _ responder: TestResponder = TestResponder { HTTPResponse(200, body: $0.body) },
        _ body: (Listener, TestResponder) async throws -> Void
    ) async throws {
        let loop = EventLoop()
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: settings,
            responder: responder
        )
        try await body(listener, responder)
        await listener.stop()
        await loop.stop()
    }

    @Test(arguments: [
        "", "G", "GET / HTTP/1.1\r\nHost: a\r\nx",
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ]) func `N3 a client that falls silent is closed`(start: String) async throws {
        let uptime = ManualUptime()
        try await withListener(.test(uptime)) { listener, _ in
            let client = try RawClient(port: listener.port)
            client.send(start)
            if start.hasSuffix("a\r\n\r\n") {
                #expect(await client.receiveLine() == "HTTP/1.1 200 OK\r\n")
            }
            try await until("a connection") { await listener.connectionCount == 1 }
            try await until("no connection") {
                uptime.advance(by: .seconds(1))
                return await listener.connectionCount == 0
            }
            _ = await client.receiveAll()
        }
    }

    @Test func `a client that never reads is closed, and holds one reply`() async throws {
        let arrived = Gate()
        let responder = TestResponder { _ in
            await arrived.open()
            return HTTPResponse(200, body: Array(repeating: 1, count: 16 << 20))
        }
        let uptime = ManualUptime()
        try await withListener(.test(uptime), responder) { listener, responder in
            let client = try RawClient(port: listener.port)
            for _ in 0..<1000 { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            await arrived.wait()
            try await until("an end of the connection") {
                uptime.advance(by: .seconds(1))
                return !responder.cuts.withLock { $0.isEmpty }
            }
            #expect(responder.cuts.withLock { $0 } == [.overdue])
            #expect(await listener.limiter.heldByteCount == 0)
        }
    }

    @Test func `pipelined requests are answered one by one and in order`() async throws {
        let most = Locked((now: 0, most: 0))
        let responder = TestResponder { request in
            most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            most.withLock { $0.now -= 1 }
            return HTTPResponse(200, body: Array((request.path + "\n").utf8))
        }
        try await withListener(.test(), responder) { listener, _ in
            let client = try RawClient(port: listener.port)
            for number in 0..<200 { client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n") }
            client.shutDown()
            let lines = await client.receiveAll().split(whereSeparator: \.isNewline)
            let bodies = lines.filter { $0.hasPrefix("/") }
            #expect(bodies == (0..<200).map { "/\($0)" })
            #expect(most.withLock { $0.most } == 1)
        }
    }

    @Test func `when all bodies hold too much, large ones are refused and small ones served`()
        async throws
    {
        var limits = SyncServer.Limits()
        limits.heldBytes = 4 << 20
        try await withListener(.test(limits)) { listener, _ in
            let holders = try (0..<8).map { _ in try RawClient(port: listener.port) }
            for holder in holders {
                holder.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000001\r\n\r\n")
                holder.send(String(repeating: "a", count: 1_000_000))
            }
            // A refusal comes to those for whom there is no room, whoever they are.
            try await until("held bodies") { await listener.limiter.heldByteCount >= 2_000_000 }
            let transport = HTTPTransport(authority: "127.0.0.1:\(listener.port)", trust: .plain)
            let small = HTTPRequest("PUT", "/", body: Array(repeating: 1, count: 4 << 10))
            #expect(try await transport.send(small).status == 200)
            for holder in holders { holder.send("a") }
            var replies: [String] = []
            for holder in holders {
                holder.shutDown()
                replies.append(await holder.receiveAll())
            }
            try await until("no held bodies") { await listener.limiter.heldByteCount == 0 }
            let refused = replies.count { $0.hasPrefix("HTTP/1.1 503 ") }
            let served = replies.count { $0.hasPrefix("HTTP/1.1 200 ") }
            #expect(refused > 0 && served > 0)
            #expect(refused + served == 8)
        }
    }

    @Test func `a large body is not taken before its head is admitted`() async throws {
        let asked = Gate()
        let answer = Gate()
        let responder = TestResponder(
            judge: { _ in
                await asked.open()
                await answer.wait()
                throw Problem(.unauthorized, "not you")
            },
            answer: { _ in HTTPResponse(200) }
        )
        try await withListener(.test(), responder) { listener, _ in
            let client = try RawClient(port: listener.port)
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4097\r\n\r\n")
            await asked.wait()
            client.send(String(repeating: "a", count: 4097))
            #expect(await listener.limiter.heldByteCount == 0)
            await answer.open()
            #expect(await client.receiveAll().hasPrefix("HTTP/1.1 401 "))
            // One byte less needs no question.
            let transport = HTTPTransport(authority: "127.0.0.1:\(listener.port)", trust: .plain)
            let small = HTTPRequest("PUT", "/", body: Array(repeating: 1, count: 4096))
            #expect(try await transport.send(small).status == 200)
        }
    }

    @Test func `a body is held until its reply is written, and bounds what is handed on`()
        async throws
    {
        let arrived = Gate()
        let answer = Gate()
        var limits = SyncServer.Limits()
        (limits.heldBytes, limits.smallBodyBytes) = (4000, 2000)
        let responder = TestResponder { _ in
            await arrived.open()
            await answer.wait()
            return HTTPResponse(200)
        }
        try await withListener(.test(limits), responder) { listener, _ in
            let body = String(repeating: "a", count: 2000)
            let request = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + body
            let first = try RawClient(port: listener.port)
            first.send(request)
            await arrived.wait()
            #expect(await listener.limiter.heldByteCount == 2000)
            let others = try (0..<2).map { _ in try RawClient(port: listener.port) }
            for other in others { other.send(request) }
            try await until("held bodies") { await listener.limiter.heldByteCount > 4000 - 100 }
            await answer.open()
            var replies: [String] = []
            for client in [first] + others {
                client.shutDown()
                replies.append(await client.receiveAll())
            }
            #expect(replies.count { $0.hasPrefix("HTTP/1.1 200 ") } == 2)
            #expect(replies.count { $0.hasPrefix("HTTP/1.1 503 ") } == 1)
            try await until("no held bodies") { await listener.limiter.heldByteCount == 0 }
        }
    }

    @Test func `who was refused is not refused again for what he sends on`() async throws {
        var limits = SyncServer.Limits()
        limits.heldBytes = 0
        try await withListener(.test(limits)) { listener, responder in
            let client = try RawClient(port: listener.port)
            client.send("nonsense\n")
            #expect(await client.receiveLine() == "HTTP/1.1 400 Bad Request\r\n")
            client.send("and more of it")
            client.shutDown()
            try await until("no connections") { await listener.connectionCount == 0 }
            #expect(responder.refusals.withLock { $0 } == 1)
        }
    }

    @Test func `so many requests are answered at once, and the next one waits`() async throws {
        let most = Locked((now: 0, most: 0))
        var limits = SyncServer.Limits()
        limits.handlers = 3
        let responder = TestResponder { _ in
            most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<20 { await Task.yield() }
            most.withLock { $0.now -= 1 }
            return HTTPResponse(200)
        }
        try await withListener(.test(limits), responder) { listener, _ in
            let clients = try (0..<30).map { _ in try RawClient(port: listener.port) }
            for client in clients {
                client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            }
            for client in clients {
                #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 OK"))
            }
            #expect(most.withLock { $0.most } == 3)
        }
    }

    @Test func `a client that asks first is told to go on`() async throws {
        try await withListener(.test()) { listener, _ in
            let client = try RawClient(port: listener.port)
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n")
            client.send("Expect: 100-continue\r\nContent-Length: 1\r\n\r\n")
            #expect(await client.receiveLine() == "HTTP/1.1 100 Continue\r\n")
            client.send("a")
            #expect(await client.receiveAll().hasSuffix("\r\n\r\na"))
        }
    }

    @Test func `when there are as many connections as may be, the idle ones give way`()
        async throws
    {
        var limits = SyncServer.Limits()
        (limits.connections, limits.graceSeconds) = (8, 0)
        try await withListener(.test(limits)) { listener, responder in
            let clients = try (0..<20).map { _ in try RawClient(port: listener.port) }
            let last = clients[19]
            last.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await last.receiveAll().hasPrefix("HTTP/1.1 200 OK"))
            #expect(responder.cuts.withLock { $0.count { $0 == .evicted } } >= 12)
        }
    }

    @Test(arguments: [(100_000, 10_000), (1024, 896), (10, 1), (-1, 1)])
    func `there are no more connections than descriptors for them`(
        descriptors: Int,
        connections: Int
    ) {
        let limits = SyncServer.Limits().fitting(descriptors: descriptors, others: 128)
        #expect(limits.connections == connections)
    }

    @Test func `when none of them is idle, who comes waits`() async throws {
        let arrived = Gate(count: 2)
        let answer = Gate()
        var limits = SyncServer.Limits()
        limits.connections = 2
        let responder = TestResponder { _ in
            await arrived.open()
            await answer.wait()
            return HTTPResponse(200)
        }
        try await withListener(.test(limits), responder) { listener, responder in
            let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let clients = try (0..<5).map { _ in try RawClient(port: listener.port) }
            for client in clients { client.send(request) }
            await arrived.wait()
            #expect(await listener.connectionCount == 2)
            await answer.open()
            for client in clients {
                #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 OK"))
            }
            #expect(responder.cuts.withLock { $0.isEmpty })
        }
    }

    @Test func `stopping while nobody more is let in ends well`() async throws {
        let arrived = Gate(count: 2)
        let (first, second) = (Gate(), Gate())
        var limits = SyncServer.Limits()
        limits.connections = 2
        let responder = TestResponder { request in
            await arrived.open()
            await (request.path == "/1" ? first : second).wait()
            return HTTPResponse(200)
        }
        let loop = EventLoop()
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: .test(limits),
            responder: responder
        )
        let clients = try (1...2).map { number in
            let client = try RawClient(port: listener.port)
            client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            client.shutDown()
            return client
        }
        await arrived.wait()
        async let stopped: Void = listener.stop()
        await first.open()
        #expect(await clients[0].receiveAll().hasPrefix("HTTP/1.1 200 OK"))
        // Now there would be room for another one, which two sweeps have seen.
        let sweeps = responder.sweeps.withLock { $0 }
        try await until("two sweeps") { responder.sweeps.withLock { $0 } >= sweeps + 2 }
        await second.open()
        #expect(await clients[1].receiveAll().hasPrefix("HTTP/1.1 200 OK"))
        await stopped
        await loop.stop()
    }

    @Test func `stopping closes who is idle and lets an upload finish`() async throws {
        let loop = EventLoop()
        let listener = try await Listener(on: loop, address: "127.0.0.1:0") { request in
            HTTPResponse(200, body: [UInt8](String(request.body.count).utf8))
        }
        let idle = try RawClient(port: listener.port)
        let upload = try RawClient(port: listener.port)
        upload.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
        try await until("a held body") { await listener.limiter.heldByteCount > 0 }
        async let stopped: Void = listener.stop()
        #expect(await idle.receiveAll().isEmpty)
        upload.send("b")
        let reply = await upload.receiveAll()
        #expect(reply.hasPrefix("HTTP/1.1 200 OK") && reply.contains("connection: close"))
        #expect(reply.hasSuffix("\r\n\r\n2"))
        await stopped
        await loop.stop()
    }
}
