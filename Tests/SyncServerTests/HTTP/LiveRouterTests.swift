import Harness
import SyncCore
import Testing

@testable import SyncServer

/// The few tests in which a request goes all the way: transport, listener, router, and back.
@Suite(.hangLimit) struct LiveRouterTests {
    @Test(arguments: [
        ("GET", "/v1/items/7", 200, "item 7"), ("HEAD", "/v1/items/7", 200, ""),
        ("GET", "/v1/items", 404, "not-found"), ("PUT", "/v1/items/7", 405, "method-not-allowed"),
        ("DELETE", "/v1/items/7", 500, "internal"),
    ])
    func `a request finds its route over the wire`(
        method: String,
        path: String,
        status: Int,
        text: String
    ) async throws {
        let router = Router(
            routes: [
                Route("GET", "/v1/items/{item}", name: "item.get") { context in
                    HTTPResponse(200, body: Array("item \(context["item"])".utf8))
                },
                Route("DELETE", "/v1/items/{item}", name: "item.delete") { _ in
                    throw CancellationError()
                },
            ],
            uptime: { .zero },
            makeID: { "an-id" },
            observe: { _ in }
        )
        let loop = EventLoop()
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: .test(),
            responder: router
        )
        let transport = HTTPTransport(authority: "127.0.0.1:\(listener.port)", trust: .plain)
        let response = try await transport.send(HTTPRequest(method, path))
        #expect(response.status == status)
        #expect(response.headers["x-request-id"] == "an-id")
        #expect(response.headers["allow"] == (status == 405 ? "DELETE, GET, HEAD" : nil))
        #expect(String(decoding: response.body, as: UTF8.self).contains(text) || text.isEmpty)
        #expect(response.body.isEmpty == (method == "HEAD"))
        await listener.stop()
        await loop.stop()
    }

    @Test func `a signed request is verified over the wire`() async throws {
        let secret = Array("the device's key".utf8)
        let authority = "wake.example"
        let router = Router(
            routes: [
                Route("POST", "/v1/sync", name: "sync") { context in
                    let verified = try SignedRequest(parsing: context.request)
                        .verified(by: MACKey(secret), authority: authority, nowSeconds: 1000)
                    return HTTPResponse(200, body: Array(verified.signature.nonce.utf8))
                }
            ],
            uptime: { .zero },
            makeID: { "an-id" },
            observe: { #expect($0.fault == nil) }
        )
        let loop = EventLoop()
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: .test(),
            responder: router
        )
        let transport = HTTPTransport(authority: "127.0.0.1:\(listener.port)", trust: .plain)
        var request = HTTPRequest("POST", "/v1/sync", body: [1, 2, 3])
        request.query = "a=%2B"
        let signature = RequestSignature(createdSeconds: 990, nonce: "n1", keyIdentifier: "k")
        request.sign(signature, authority: authority, key: MACKey(secret))
        let response = try await transport.send(request)
        #expect(response.status == 200)
        #expect(response.body == Array("n1".utf8))
        await listener.stop()
        await loop.stop()
    }
}
