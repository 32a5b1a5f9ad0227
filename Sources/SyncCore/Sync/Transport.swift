/// Sends requests to one server.
package protocol Transport: Sendable {
    /// Sends one request and returns the reply; an error status does not throw.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// Why a request got no reply.
package enum TransportError: Error, Hashable {
    /// The server could not be reached, or the connection broke; `reason` is libcurl's message.
    case unreachable(authority: String, reason: String)
    /// The server does not have the pinned key; nothing was sent.
    case wrongKey(authority: String)
    /// The server has no trusted certificate or no safe TLS version; nothing was sent.
    case notTrusted(authority: String, reason: String)
    /// The server does not speak TLS; nothing was sent.
    case noTLS(authority: String)
    /// A plain-HTTP request ended without an HTTP reply, as it does at a TLS server.
    case noHTTP(authority: String)
    /// The reply did not arrive within the limit.
    case timedOut(authority: String)
    /// The reply exceeds the limit.
    case replyTooLarge(byteLimit: Int)
}
