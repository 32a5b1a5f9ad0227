import Harness
import Glibc
import Testing

@testable import SyncCore

@Suite(.hangLimit) struct HTTPTransportTests {
    private static let empty = "HTTP/1.1 204 No Content\r\n\r\n"

    /// Sends one request to a server that gives one reply.
    private func exchange(
        _ request: HTTPRequest,
        _ reply: CannedServer.Reply,
        limits: HTTPTransport.Limits = .init()
    ) async throws -> (sent: String, response: HTTPResponse) {
        let server = CannedServer()
        async let connections = server.serve([reply])
        let transport = HTTPTransport(authority: server.authority, trust: .plain, limits: limits)
        let response = try await transport.send(request)
        _ = await connections
        return (await server.requests.first { _ in true } ?? "", response)
    }

    @Test func `nothing is sent that was not asked for`() async throws {
        var request = HTTPRequest(
            "PUT",
            "/a/../b%2f",
            headers: ["x-empty": "", "content-type": "application/cbor"],
            body: Array("body".utf8)
        )
        request.query = "q=1"
        let sent = try await exchange(request, .last(Self.empty)).sent
        let lines = sent.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.first == "PUT /a/../b%2f?q=1 HTTP/1.1")
        #expect(lines[1].hasPrefix("Host: 127.0.0.1:"))
        #expect(
            lines[2...].sorted() == [
                "", "Accept: */*", "Content-Length: 4", "body", "content-type: application/cbor",
                "x-empty:",
            ]
        )
    }

    @Test(arguments: ["GET", "HEAD", "DELETE"])
    func `a request without a body has no length`(method: String) async throws {
        let sent = try await exchange(HTTPRequest(method, "/"), .last(Self.empty)).sent
        #expect(sent.hasPrefix("\(method) / HTTP/1.1\r\n"))
        #expect(!sent.contains("Content-"))
    }

    @Test(arguments: ["POST", "PUT"])
    func `an empty body has length 0`(method: String) async throws {
        let sent = try await exchange(HTTPRequest(method, "/"), .last(Self.empty)).sent
        #expect(sent.hasPrefix("\(method) / HTTP/1.1\r\n"))
        #expect(sent.contains("Content-Length: 0\r\n"))
    }

    @Test func `the head of a reply is read, without that of an interim one`() async throws {
        let reply = """
            HTTP/1.1 100 Continue\r\nx-interim: 1\r\n\r\n\
            HTTP/1.1 409 Conflict\r\nX-One:  a: b \r\nx-one: c\r\nempty:\r\n\
            Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n
            """
        let response = try await exchange(HTTPRequest("GET", "/"), .text(reply)).response
        #expect(response.status == 409)
        #expect(
            response.headers == ["x-one": "a: b, c", "empty": "", "transfer-encoding": "chunked"]
        )
        #expect(response.body == Array("abcd".utf8))
    }

    @Test func `a redirection is a reply like any other`() async throws {
        let reply = "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
        let response = try await exchange(HTTPRequest("GET", "/"), .last(reply)).response
        #expect(response.status == 302)
        #expect(response.headers["location"] == "/other")
    }

    @Test func `a connection is used again, and another made where it was closed`() async throws {
        let server = CannedServer()
        async let connections = server.serve([
            .text(Self.empty), .text(Self.empty), .last(Self.empty), .last(Self.empty),
        ])
        let transport = HTTPTransport(authority: server.authority, trust: .plain)
        for _ in 0..<4 {
            #expect(try await transport.send(HTTPRequest("POST", "/")).status == 204)
        }
        #expect(await connections == 2)
    }

    @Test func `no proxy of the environment is asked`() async throws {
        // In a process of its own: the environment is not safe to change beside other threads.
        await #expect(processExitsWith: .success) {
            _ = unsafe setenv("http_proxy", "http://127.0.0.1:1", 1)
            let server = CannedServer()
            async let connections = server.serve([.last("HTTP/1.1 204 No Content\r\n\r\n")])
            let transport = HTTPTransport(authority: server.authority, trust: .plain)
            let response = try await transport.send(HTTPRequest("GET", "/"))
            #expect(response.status == 204)
            _ = await connections
        }
    }
}

extension HTTPTransportTests {
    @Test(arguments: ["Content-Length: 11", "Transfer-Encoding: identity"])
    func `a reply beyond the limit is refused`(framing: String) async throws {
        var limits = HTTPTransport.Limits()
        limits.replyBytes = 10
        let request = HTTPRequest("GET", "/")
        let reply = "HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n0123456789"
        let largest = reply.replacing("11", with: "10")
        let response = try await exchange(request, .last(largest), limits: limits).response
        #expect(response.body.count == 10)
        await #expect(throws: TransportError.replyTooLarge(byteLimit: 10)) {
            try await exchange(request, .last(reply + "x"), limits: limits)
        }
    }

    @Test func `a server that says nothing is given up`() async {
        var limits = HTTPTransport.Limits()
        limits.totalMilliseconds = 50
        let server = CannedServer()
        let transport = HTTPTransport(authority: server.authority, trust: .plain, limits: limits)
        async let connections = server.serve([.silence])
        await #expect(throws: TransportError.timedOut(authority: server.authority)) {
            try await transport.send(HTTPRequest("GET", "/"))
        }
        #expect(await connections == 1)
    }

    @Test func `a reply that ends early is no reply`() async {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"
        let error = await #expect(throws: TransportError.self) {
            try await exchange(HTTPRequest("GET", "/"), .last(text))
        }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["", "not HTTP\r\n\r\n", "\u{15}\u{03}\u{03}\0\u{02}\u{02}F"])
    func `what answers no HTTP at all is told apart`(text: String) async {
        let server = CannedServer()
        async let connections = server.serve([.last(text)])
        let transport = HTTPTransport(authority: server.authority, trust: .plain)
        await #expect(throws: TransportError.noHTTP(authority: server.authority)) {
            try await transport.send(HTTPRequest("GET", "/"))
        }
        #expect(await connections == 1)
    }

    @Test(arguments: [
        ("tlsv1 alert decode error", true), ("tlsv1 alert decrypt error", true),
        ("decryption failed or bad record mac", true), ("certificate verify failed", false),
    ])
    func `bytes that were damaged in a handshake are no reason for mistrust`(
        reason: String,
        isDamage: Bool
    ) {
        let text = "error:0A00041A:SSL routines::" + reason
        let error = CurlConnection.handshakeError(text, authority: "h:1")
        let damage = "bytes were damaged on their way: " + reason
        #expect(
            error
                == (isDamage
                    ? .unreachable(authority: "h:1", reason: damage)
                    : .notTrusted(authority: "h:1", reason: reason))
        )
    }

    @Test func `where nobody listens nobody is reached`() async {
        let transport = HTTPTransport(authority: "127.0.0.1:1", trust: .plain)
        let error = TransportError.unreachable(
            authority: "127.0.0.1:1",
            reason: "Couldn't connect to server"
        )
        await #expect(throws: error) { try await transport.send(HTTPRequest("GET", "/")) }
    }

    @Test func `a cancelled task ends its request and leaves the transport usable`() async throws {
        let server = CannedServer()
        async let connections = server.serve([.silence, .last(Self.empty)])
        let transport = HTTPTransport(authority: server.authority, trust: .plain)
        let task = Task { try await transport.send(HTTPRequest("GET", "/one")) }
        var requests = server.requests.makeAsyncIterator()
        #expect(await requests.next()?.hasPrefix("GET /one ") == true)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await transport.send(HTTPRequest("GET", "/two")).status == 204)
        #expect(await connections == 2)
    }

    @Test func `a task that was cancelled before sends nothing`() async {
        let transport = HTTPTransport(authority: "127.0.0.1:1", trust: .plain)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await transport.send(HTTPRequest("GET", "/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
