internal import SyncCore
internal import Synchronization

/// A transport that counts what goes through it.
final class CountingTransport: Transport {
    private let transport: HTTPTransport
    private let exchanges = Mutex<[Exchange]>([])

    /// A request that was answered.
    struct Exchange: Sendable {
        let path: String
        let requestBytes: Int
        let replyBytes: Int
    }

    init(authority: String) {
        transport = HTTPTransport(authority: authority, trust: .plain)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await transport.send(request)
        let exchange = Exchange(
            path: request.path,
            requestBytes: request.body.count,
            replyBytes: response.body.count
        )
        exchanges.withLock { $0.append(exchange) }
        return response
    }

    /// What went through since the last time.
    func take() -> [Exchange] {
        exchanges.withLock { exchanges in
            defer { exchanges = [] }
            return exchanges
        }
    }
}
