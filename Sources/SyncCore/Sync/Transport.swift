/// Carries a request to one server and brings back its reply.
package protocol Transport: Sendable {
    /// Sends one request; a reply with an error status is a reply, not an error.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// Why no reply came.
package enum TransportError: Error, Hashable {
    /// The server could not be reached, or the connection broke; `reason` is the library's.
    case unreachable(authority: String, reason: String)
    /// What answers has not the key that was pinned; nothing was sent.
    case wrongKey(authority: String)
    /// What answers has no certificate that counts, or no TLS that is safe; nothing was sent.
    case notTrusted(authority: String, reason: String)
    /// What answers speaks no TLS; nothing was sent.
    case noTLS(authority: String)
    /// A plain request was cut off without an answer of HTTP, as a server with TLS does.
    case noHTTP(authority: String)
    /// No reply within the limit.
    case timedOut(authority: String)
    /// The reply was longer than the limit.
    case replyTooLarge(byteLimit: Int)
}
