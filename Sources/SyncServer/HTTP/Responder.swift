internal import SyncCore

/// What a listener hands its requests to.
protocol Responder: Sendable {
    /// The most bytes that the body of a request may have, by its head; quick, on the loop.
    func bodyByteLimit(of head: HTTPRequest) -> Int

    /// Whether a request with a large body may go on, by its head; throws a ``Problem``.
    @concurrent func admit(_ head: HTTPRequest) async throws

    /// Answers a request; any number at a time.
    @concurrent func respond(to request: HTTPRequest) async -> HTTPResponse

    /// The reply to a request that comes to nothing: one that cannot be read, is too large, or one
    /// too many. `head` is nil where there is none.
    func refuse(_ head: HTTPRequest?, _ error: any Error) -> HTTPResponse

    /// Counts a connection of a listener that was closed for a reason that has no reply.
    func note(_ cut: Cut, at listener: String)

    /// Tells how many connections there are, a few times a second.
    func note(connectionCount: Int, at listener: String)
}

/// Why a connection was closed without a word.
enum Cut: String, Sendable {
    /// The client took too long.
    case overdue
    /// The client's address has too many connections, or too many at once.
    case crowded
    /// It was idle, and another one came when there was no room.
    case evicted
    /// It is not the proxy's, and plain HTTP is for the proxy alone.
    case foreign
}
