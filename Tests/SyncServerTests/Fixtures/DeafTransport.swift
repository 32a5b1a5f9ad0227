import SyncCore

@testable import SyncServer

/// A server that takes nothing.
struct DeafTransport: Transport {
    let router: Router

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let asked = request.path == "/v1/sync" ? try SyncRequest(decoding: request.body) : nil
        guard asked?.spaces.allSatisfy(\.items.isEmpty) != false else {
            throw TransportError.timedOut(authority: "test:1")
        }
        return await router.respond(to: request)
    }
}
