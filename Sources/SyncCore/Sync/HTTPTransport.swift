internal import Synchronization

/// An HTTP/1.1 client of one server that keeps its connection open.
///
/// It sends requests one at a time on its own serial queue. It uses no proxy and follows no
/// redirects, because a signature covers one authority.
package actor HTTPTransport: Transport {
    package struct Limits: Hashable, Sendable {
        /// The limit for establishing the connection.
        package var connectMilliseconds = 10_000
        /// The limit from the start of a request to the end of its reply.
        package var totalMilliseconds = 120_000
        /// The limit for the body of a reply: 8 MiB of content and 64 KiB for its envelope.
        package var replyBytes = (8 << 20) + (64 << 10)

        package init() {}
    }

    private let executor = QueueExecutor(label: "wake.transport")
    private let connection: CurlConnection

    /// The transport's own serial queue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Creates a transport to `authority` (`host:port`) that connects at the first request.
    ///
    /// It sends nothing before it has authenticated the server according to `trust`.
    package init(authority: String, trust: ServerTrust, limits: Limits = Limits()) {
        connection = CurlConnection(authority: authority, trust: trust, limits: limits)
    }

    /// Creates a transport that trusts the certificate authorities of a PEM file.
    init(authority: String, authoritiesFile: String) {
        connection = CurlConnection(
            authority: authority,
            trust: .authorities,
            limits: Limits(),
            authoritiesFile: authoritiesFile
        )
    }

    /// Sends one request and returns the reply.
    ///
    /// Throws ``TransportError``, or `CancellationError` within a second after the task is
    /// cancelled.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try connection.perform(request, cancellation: cancellation)
        } onCancel: {
            cancellation.cancel()
        }
    }
}

/// Cancels a transfer that runs on another thread.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}
