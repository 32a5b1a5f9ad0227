internal import Synchronization

/// HTTP/1.1 to one server over a connection that is kept between requests.
///
/// Requests are sent one after the other on a thread of the transport's own. No proxy is asked and
/// no redirection followed: a signature is for one authority.
package actor HTTPTransport: Transport {
    /// How long to wait, and for how much.
    package struct Limits: Hashable, Sendable {
        /// The time for a connection.
        package var connectMilliseconds = 10_000
        /// The time from the start of a request to the end of its reply.
        package var totalMilliseconds = 120_000
        /// The body of a reply: 8 MiB of content and its frame.
        package var replyBytes = (8 << 20) + (64 << 10)

        /// The limits of a device.
        package init() {}
    }

    private let executor = QueueExecutor(label: "wake.transport")
    private let connection: CurlConnection

    /// The transport's own thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A transport to `authority`, which is `host:port`; connects with the first request.
    ///
    /// Nothing is sent before the server is known to be the one that `trust` means.
    package init(authority: String, trust: ServerTrust, limits: Limits = Limits()) {
        connection = CurlConnection(authority: authority, trust: trust, limits: limits)
    }

    /// A transport that knows other authorities than the system, from a file of certificates.
    init(authority: String, authoritiesFile: String) {
        connection = CurlConnection(
            authority: authority,
            trust: .authorities,
            limits: Limits(),
            authoritiesFile: authoritiesFile
        )
    }

    /// Sends one request; throws ``TransportError``, or `CancellationError` within a second of the
    /// task's cancellation.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try connection.perform(request, cancellation: cancellation)
        } onCancel: {
            cancellation.cancel()
        }
    }
}

/// Tells a transfer on another thread to end.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() {
        flag.store(true, ordering: .relaxed)
    }
}
