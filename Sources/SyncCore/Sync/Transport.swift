/// Carries a request to one server and brings back its reply.
package protocol Transport: Sendable {
    /// Sends one request; a reply with an error status is a reply, not an error.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// Why no reply came.
package enum TransportError: Error, Hashable {
    /// The server could not be reached, or the connection broke; `reason` is the library's.
    case unreachable(authority: String, reason: String)
    /// No reply within the limit.
    case timedOut(authority: String)
    /// The reply was longer than the limit.
    case replyTooLarge(byteLimit: Int)
}
