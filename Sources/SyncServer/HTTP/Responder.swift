internal import SyncCore

/// The handler of a listener's requests.
protocol Responder: Sendable {
    /// Returns the body's byte limit for a request head; called on the loop, so must be fast.
    func bodyByteLimit(of head: HTTPRequest) -> Int

    /// Checks by its head whether a request with a large body may continue; throws a ``Problem``.
    @concurrent func admit(_ head: HTTPRequest) async throws

    /// Answers a request; may be called concurrently.
    @concurrent func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Returns the reply to a request that is rejected before it reaches its handler.
    ///
    /// It cannot be parsed, is too large or exceeds a limit. `head` is nil if none was parsed.
    func refuse(_ head: HTTPRequest?, _ error: any Error) -> HTTPResponse

    /// Counts a connection of a listener that was closed without a reply.
    func note(_ cut: Cut, at listener: String)

    /// Reports the number of connections, several times a second.
    func note(connectionCount: Int, at listener: String)
}

/// The reason why a connection was closed without a reply.
enum Cut: String, Sendable {
    /// The client took too long.
    case overdue
    /// The client's address has too many connections, or opens them too fast.
    case crowded
    /// It was idle, and the listener had no room for another connection.
    case evicted
    /// It is not the proxy's; a plain HTTP listener accepts only the proxy.
    case foreign
}
