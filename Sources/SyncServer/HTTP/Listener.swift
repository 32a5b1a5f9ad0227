internal import CEvent
internal import Glibc
internal import SyncCore

/// Accepts connections at one address and answers their requests.
///
/// The handler runs off the loop, so it may take its time; its reply goes back on the loop. Several
/// listeners can share a loop. A listener listens until ``stop(within:)``, even where nothing else
/// refers to it.
@safe actor Listener {
    /// Answers one request; any number at a time.
    typealias Handler = @concurrent @Sendable (HTTPRequest) async -> HTTPResponse

    /// The port in use, also where port 0 was asked for.
    nonisolated let port: Int

    private let loop: EventLoop
    private let handler: Handler
    private var server: OpaquePointer?
    private var socket: OpaquePointer?
    private var exchanges: [Int: Exchange] = [:]
    private var requestCount = 0
    private var drained: CheckedContinuation<Void, Never>?
    private var isStopping = false

    /// The loop's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Listens at `address`, which is `host:port` or `[host]:port`.
    init(on loop: EventLoop, address: String, handler: @escaping Handler) async throws {
        let (host, portText) = try Self.split(address)
        var bound: UInt16 = 0
        let descriptor = unsafe cevent_listen(host, portText, &bound)
        guard descriptor >= 0 else {
            throw ListenerError.notBound(address: address, code: descriptor == -1 ? errno : nil)
        }
        self.loop = loop
        self.handler = handler
        port = Int(bound)
        start(on: descriptor)
    }

    /// Refuses new connections, gives the requests in flight at most `seconds`, and closes.
    ///
    /// In flight is what a handler has or what is being written; a request that has not arrived
    /// whole is cut off.
    func stop(within seconds: Double) async {
        guard let server = unsafe server, let socket = unsafe socket, !isStopping else { return }
        isStopping = true
        unsafe evhttp_del_accept_socket(server, socket)
        if !exchanges.isEmpty { await drain(within: seconds) }
        // A reply frees a request whose connection is gone; the others go with the server, whose
        // callbacks still need the tickets.
        let rest = exchanges.filter { !$0.value.isAnswered }.keys
        for number in rest { reply(HTTPResponse(503), to: number) }
        unsafe evhttp_free(server)
        unsafe self.server = nil
        exchanges = [:]
        unsafe Unmanaged.passUnretained(self).release()
    }

    private func drain(within seconds: Double) async {
        let timer = Task {
            try await Task.sleep(for: .seconds(seconds))
            finishDraining()
        }
        await withCheckedContinuation { drained = $0 }
        timer.cancel()
    }

    private func finishDraining() {
        drained?.resume()
        drained = nil
    }
}

/// Why there is no listener.
enum ListenerError: Error, Equatable {
    /// Not `host:port` or `[host]:port`.
    case notAnAddress(String)
    /// The address is in use, forbidden or unknown; `code` is an errno, nil for an unknown name.
    case notBound(address: String, code: Int32?)
}

extension Listener {
    /// One request from its arrival until its reply is written or its connection is gone.
    @safe private struct Exchange {
        /// Freed by libevent after the reply, also where the connection is gone before.
        let request: OpaquePointer
        /// What the callbacks of this request get.
        let ticket: Ticket
        let isHead: Bool
        var isAnswered = false
    }

    /// Names an exchange to a C callback.
    private final class Ticket: Sendable {
        let listener: Listener
        let number: Int

        init(listener: Listener, number: Int) {
            self.listener = listener
            self.number = number
        }
    }

    private static func split(_ address: String) throws -> (host: String, port: String) {
        guard let colon = address.lastIndex(of: ":") else {
            throw ListenerError.notAnAddress(address)
        }
        var host = address[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        let port = address[address.index(after: colon)...]
        guard !host.isEmpty, UInt16(port) != nil else { throw ListenerError.notAnAddress(address) }
        return (String(host), String(port))
    }

    /// From here on libevent holds the listener.
    private func start(on descriptor: Int32) {
        guard let server = unsafe evhttp_new(loop.base) else {
            preconditionFailure("no memory for an HTTP server")
        }
        unsafe cevent_configure(server)
        unsafe evhttp_set_max_headers_size(server, Limits.headBytes)
        unsafe evhttp_set_max_body_size(server, Limits.bodyBytes)
        unsafe evhttp_set_timeout(server, Int32(Limits.idleSeconds))
        unsafe evhttp_set_default_content_type(server, nil)
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        unsafe evhttp_set_gencb(
            server,
            { request, context in
                guard let request = unsafe request, let context = unsafe context else { return }
                nonisolated(unsafe) let arrived = unsafe request
                // No lock: it is handed over on the loop's thread and stays there.
                let listener = unsafe Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue()
                listener.assumeIsolated { unsafe $0.accept(arrived) }
            },
            context
        )
        unsafe self.server = server
        unsafe socket = evhttp_accept_socket_with_handle(server, descriptor)
    }

    private func accept(_ request: OpaquePointer) {
        requestCount += 1
        let number = requestCount
        let message = unsafe HTTPRequest(arrived: request)
        let ticket = Ticket(listener: self, number: number)
        unsafe exchanges[number] = Exchange(
            request: request,
            ticket: ticket,
            isHead: message?.method == "HEAD"
        )
        unsafe watch(request, ticket)
        guard let message else {
            return reply(HTTPResponse(400, headers: ["connection": "close"]), to: number)
        }
        Task { reply(await handler(message), to: number) }
    }

    /// Tells us when the reply is written, or the connection gone before.
    private func watch(_ request: OpaquePointer, _ ticket: Ticket) {
        let context = unsafe Unmanaged.passUnretained(ticket).toOpaque()
        unsafe evhttp_request_set_on_complete_cb(
            request,
            { request, context in
                guard let request = unsafe request, let context = unsafe context else { return }
                let connection = unsafe evhttp_request_get_connection(request)
                unsafe evhttp_connection_set_closecb(connection, nil, nil)
                unsafe Listener.end(Unmanaged.fromOpaque(context))
            },
            context
        )
        unsafe evhttp_connection_set_closecb(
            evhttp_request_get_connection(request),
            { _, context in
                guard let context = unsafe context else { return }
                unsafe Listener.end(Unmanaged.fromOpaque(context))
            },
            context
        )
    }

    private static func end(_ ticket: Unmanaged<Ticket>) {
        let ticket = unsafe ticket.takeUnretainedValue()
        ticket.listener.assumeIsolated { $0.end(ticket.number) }
    }

    /// A request without a reply stays: its handler's reply frees it.
    private func end(_ number: Int) {
        guard let exchange = exchanges[number], exchange.isAnswered else { return }
        forget(number)
    }

    private func forget(_ number: Int) {
        exchanges[number] = nil
        if isStopping, exchanges.isEmpty { finishDraining() }
    }

    private func reply(_ response: HTTPResponse, to number: Int) {
        guard let exchange = exchanges[number] else { return }
        exchanges[number]?.isAnswered = true
        let isGone = unsafe evhttp_request_get_connection(exchange.request) == nil
        var response = response
        if isStopping { response.headers["connection"] = "close" }
        unsafe response.send(as: exchange.request, withBody: !exchange.isHead)
        if isGone { forget(number) }
    }
}
