import Harness
import SyncCore
import Testing

@testable import SyncServer

/// Answers with the request: method, path, query, number of bytes.
private func echo(_ request: HTTPRequest) -> HTTPResponse {
    let query = request.query ?? "-"
    let text = "\(request.method) \(request.path) \(query) \(request.body.count)"
    return HTTPResponse(200, headers: ["x-echo": text], body: request.body)
}

@Suite(.hangLimit) struct ListenerTests {
    /// Runs `body` with a listener on a free port, and stops it and its loop.
    private func withListener(
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { echo($0) },
        _ body: (Listener, String) async throws -> Void
    ) async throws {
        let loop = EventLoop()
        let listener = try await Listener(on: loop, address: "127.0.0.1:0", answer: handler)
        try await body(listener, "127.0.0.1:\(listener.port)")
        await listener.stop()
        await loop.stop()
    }

    @Test func `a request arrives whole and its reply comes back`() async throws {
        try await withListener { _, authority in
            let transport = HTTPTransport(authority: authority, trust: .plain)
            var request = HTTPRequest("POST", "/a%2Fb/../c", body: [1, 0, 2])
            request.query = "x=1&y=%20"
            let response = try await transport.send(request)
            #expect(response.status == 200)
            #expect(response.headers["x-echo"] == "POST /a%2Fb/../c x=1&y=%20 3")
            #expect(response.headers["content-length"] == "3")
            #expect(response.body == [1, 0, 2])
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE"])
    func `every method arrives`(method: String) async throws {
        try await withListener { _, authority in
            let transport = HTTPTransport(authority: authority, trust: .plain)
            let response = try await transport.send(HTTPRequest(method, "/"))
            #expect(response.headers["x-echo"] == "\(method) / - 0")
        }
    }

    @Test func `HEAD answers with the length and without the body`() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            HTTPResponse(200, body: [1, 2, 3])
        }
        try await withListener(handler: handler) { _, authority in
            let transport = HTTPTransport(authority: authority, trust: .plain)
            let response = try await transport.send(HTTPRequest("HEAD", "/"))
            #expect(response.headers["content-length"] == "3")
            #expect(response.body.isEmpty)
            // The connection is still in step.
            #expect(try await transport.send(HTTPRequest("GET", "/")).body == [1, 2, 3])
        }
    }

    @Test func `a body of 8 MiB is taken and one byte more is 413`() async throws {
        try await withListener { _, authority in
            let transport = HTTPTransport(authority: authority, trust: .plain)
            var request = HTTPRequest("PUT", "/", body: Array(repeating: 7, count: 8 << 20))
            let response = try await transport.send(request)
            #expect(response.body == request.body)
            request.body.append(7)
            #expect(try await transport.send(request).status == 413)
        }
    }

    @Test func `a client that sends all of too large a body still reads the 413`() async throws {
        try await withListener { listener, _ in
            let client = try RawClient(port: listener.port)
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 8388609\r\n\r\n")
            client.send(String(repeating: "a", count: 8_388_609))
            #expect(await client.receiveAll().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `a head of 16 KiB is refused`() async throws {
        try await withListener { _, authority in
            let transport = HTTPTransport(authority: authority, trust: .plain)
            let long = String(repeating: "a", count: 16 << 10)
            let response = try await transport.send(HTTPRequest("GET", "/", headers: ["x": long]))
            #expect(response.status == 431)
        }
    }

    @Test func `a client that goes while the handler works does no harm`() async throws {
        let arrived = Gate()
        let answer = Gate()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            guard request.path == "/slow" else { return HTTPResponse(204) }
            await arrived.open()
            await answer.wait()
            return HTTPResponse(200, body: [1])
        }
        try await withListener(handler: handler) { listener, authority in
            let client = try RawClient(port: listener.port)
            client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            await arrived.wait()
            client.close()
            let transport = HTTPTransport(authority: authority, trust: .plain)
            #expect(try await transport.send(HTTPRequest("GET", "/")).status == 204)
            await answer.open()
            #expect(try await transport.send(HTTPRequest("GET", "/")).status == 204)
        }
    }

    /// Breaks off before, while and after the handler works, with replies of none to 4 MiB.
    @Test(arguments: ["", "x", "Content-Length: 9\r\n\r\n", "\r\n", "\r\nGET /2 HTTP/1.1\r\n"])
    func `five hundred clients that break off do no harm`(end: String) async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            let number = Int(request.path.dropFirst()) ?? 0
            if number.isMultiple(of: 2) { await Task.yield() }
            return HTTPResponse(200, body: Array(repeating: 1, count: number % 5 << 20))
        }
        try await withListener(handler: handler) { listener, _ in
            var open: [RawClient] = []
            for number in 0..<500 {
                let client = try RawClient(port: listener.port)
                client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\n" + end)
                switch number % 4 {
                case 0: client.reset()
                case 1: client.close()
                case 2: client.shutDown()
                default: break
                }
                open.append(client)
                if open.count > 20 { open.removeFirst().reset() }
            }
            for client in open { client.close() }
            // Clients are accepted in their order: after a reply to the last, none waits unaccepted.
            let last = try RawClient(port: listener.port)
            last.send("GET /0 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await last.receiveAll().hasPrefix("HTTP/1.1 200 "))
            last.close()
            try await until("no connections") { await listener.connectionCount == 0 }
            #expect(await listener.limiter.heldByteCount == 0)
        }
    }

    @Test func `thirty-two requests are in flight at once`() async throws {
        let all = Gate(count: 32)
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            await all.open()
            await all.wait()
            return HTTPResponse(200, body: Array("all".utf8))
        }
        try await withListener(handler: handler) { listener, _ in
            let clients = try (0..<32).map { _ in try RawClient(port: listener.port) }
            for client in clients {
                client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            }
            for client in clients {
                let reply = await client.receiveAll()
                #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n") && reply.hasSuffix("\r\n\r\nall"))
            }
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nx y: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func `a head that could be read in two ways is 400 and ends the connection`(
        head: String
    ) async throws {
        try await withListener { listener, _ in
            let client = try RawClient(port: listener.port)
            client.send(head + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
            let reply = await client.receiveAll()
            #expect(reply.hasPrefix("HTTP/1.1 400 "))
            #expect(!reply.contains("smuggled"))
        }
    }
}

extension ListenerTests {
    @Test func `stopping finishes what is in flight and refuses what is new`() async throws {
        let arrived = Gate()
        let answer = Gate()
        let loop = EventLoop()
        let listener = try await Listener(on: loop, address: "127.0.0.1:0") { _ in
            await arrived.open()
            await answer.wait()
            return HTTPResponse(200, body: [9])
        }
        let authority = "127.0.0.1:\(listener.port)"
        async let slow = HTTPTransport(authority: authority, trust: .plain).send(
            HTTPRequest("GET", "/")
        )
        await arrived.wait()
        async let stopped: Void = listener.stop()
        await refused(authority)
        await answer.open()
        let response = try await slow
        #expect(response.body == [9])
        #expect(response.headers["connection"] == "close")
        await stopped
        await loop.stop()
    }

    /// Returns once no connection is accepted any more.
    private func refused(_ authority: String) async {
        var limits = HTTPTransport.Limits()
        limits.totalMilliseconds = 200
        while true {
            do {
                _ = try await HTTPTransport(authority: authority, trust: .plain, limits: limits)
                    .send(HTTPRequest("GET", "/"))
            } catch TransportError.unreachable {
                return
            } catch {}
        }
    }

    @Test func `stopping does not wait for ever`() async throws {
        let arrived = Gate(count: 2)
        let answer = Gate()
        let loop = EventLoop()
        var limits = SyncServer.Limits()
        limits.drainSeconds = 0.05
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: .test(limits),
            responder: TestResponder { _ in
                await arrived.open()
                await answer.wait()
                return HTTPResponse(200)
            }
        )
        let gone = try RawClient(port: listener.port)
        gone.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let client = try RawClient(port: listener.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await arrived.wait()
        gone.reset()
        await listener.stop()
        #expect(await client.receiveAll().isEmpty)
        // The reply comes when there is neither a listener nor a loop, and is dropped.
        await loop.stop()
        await answer.open()
    }

    @Test func `two listeners share a loop and stop on their own`() async throws {
        let loop = EventLoop()
        let one = try await Listener(on: loop, address: "127.0.0.1:0") { _ in HTTPResponse(201) }
        let two = try await Listener(on: loop, address: "[::1]:0") { _ in HTTPResponse(202) }
        let first = HTTPTransport(authority: "127.0.0.1:\(one.port)", trust: .plain)
        let second = HTTPTransport(authority: "[::1]:\(two.port)", trust: .plain)
        #expect(try await first.send(HTTPRequest("GET", "/")).status == 201)
        #expect(try await second.send(HTTPRequest("GET", "/")).status == 202)
        await one.stop()
        #expect(try await second.send(HTTPRequest("GET", "/")).status == 202)
        await two.stop()
        await two.stop()
        await loop.stop()
        await loop.stop()
    }

    @Test func `its port is known before anybody can connect`() async throws {
        let loop = EventLoop()
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: .test(),
            responder: TestResponder { _ in HTTPResponse(200) },
            bound: { port in
                #expect(throws: ConnectionError.self) { try RawClient(port: port) }
            }
        )
        _ = try RawClient(port: listener.port)
        await listener.stop()
        await loop.stop()
    }

    @Test func `a listener does not listen if its bound callback throws`() async throws {
        struct Refusal: Error {}
        let loop = EventLoop()
        let port = Locked(0)
        // On 127.0.0.1 the listener of another test may get the port as soon as it is free.
        let host = "127.0.0.2"
        await #expect(throws: Refusal.self) {
            try await Listener(
                on: loop,
                address: host + ":0",
                settings: .test(),
                responder: TestResponder { _ in HTTPResponse(200) },
                bound: { bound in
                    port.withLock { $0 = bound }
                    throw Refusal()
                }
            )
        }
        #expect(throws: ConnectionError.self) {
            try RawClient(host: host, port: port.withLock { $0 })
        }
        await loop.stop()
    }

    @Test func `an address in use is an error`() async throws {
        try await withListener { listener, authority in
            let loop = EventLoop()
            let error = ListenerError.notBound(address: authority, code: 98)
            await #expect(throws: error) {
                try await Listener(on: loop, address: authority) { _ in HTTPResponse(200) }
            }
            await loop.stop()
        }
    }

    @Test(arguments: ["", "8080", "a:", ":80", "a:65536", "a:http"])
    func `an address has a host and a port`(address: String) async {
        let loop = EventLoop()
        await #expect(throws: ListenerError.notAnAddress(address)) {
            try await Listener(on: loop, address: address) { _ in HTTPResponse(200) }
        }
        await loop.stop()
    }
}
