internal import CEvent
internal import Glibc
internal import SyncCore

/// Accepts connections at one address and answers their requests.
///
/// The responder runs off the loop and may be slow; the reply is written on the loop. Several
/// listeners can share a loop. A listener runs until ``stop()``, even if nothing else refers to it.
@safe actor Listener {
    @safe struct Settings: Sendable {
        /// The listener's name in the metrics.
        var name = "devices"
        var limits = Limits()
        /// Creates an accepting `SSL *` for each connection; nil for plain HTTP.
        var makeSession: (@Sendable () -> OpaquePointer)?
        /// The only other machine whose connections are accepted; nil for any machine.
        var proxy: PeerAddress?
        /// Whether connections of this machine, such as tools and proxies, are exempt from limits.
        var freesLoopback = true
        /// A monotonic clock.
        var uptime: @Sendable () -> Duration
        /// The wall clock, for the `date` field of replies.
        var now: @Sendable () -> UnixTime
    }

    /// The port in use, also if port 0 was requested.
    nonisolated let port: Int

    let settings: Settings
    let responder: any Responder
    let loop: EventLoop
    var connections: [Int: Connection] = [:]
    var limiter: ConnectionLimiter
    /// Complete requests that wait for a handler, in order.
    var waiting: ArraySlice<(number: Int, request: HTTPRequest)> = []
    var handlerCount = 0
    private var acceptedCount = 0
    private var acceptor: OpaquePointer?
    private var sweeper: OpaquePointer?
    private var isPaused = false
    private var drained: CheckedContinuation<Void, Never>?
    private(set) var isStopping = false

    var connectionCount: Int { connections.count }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Listens at `address`, which is `host:port` or `[host]:port`.
    ///
    /// Calls `bound` with the port before the first client can connect. Throws ``ListenerError``,
    /// or the error of `bound`.
    init(
        on loop: EventLoop,
        address: String,
        settings: Settings,
        responder: any Responder,
        bound noteBound: (_ port: Int) throws -> Void = { _ in }
    ) async throws {
        guard let authority = Authority(address) else { throw ListenerError.notAnAddress(address) }
        let host = authority.host.filter { !"[]".contains($0) }
        var bound: UInt16 = 0
        let descriptor = unsafe cevent_bind(host, String(authority.port), &bound)
        guard descriptor >= 0 else {
            throw ListenerError.notBound(address: address, code: descriptor == -1 ? errno : nil)
        }
        self.loop = loop
        self.settings = settings
        self.responder = responder
        limiter = ConnectionLimiter(limits: settings.limits)
        port = Int(bound)
        do {
            try noteBound(port)
            try start(on: descriptor, address: address)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Stops accepting, closes idle connections, and closes the others after their requests.
    ///
    /// Requests in progress have `drainSeconds` to finish.
    func stop() async {
        guard let acceptor = unsafe acceptor else { return }
        isStopping = true
        unsafe self.acceptor = nil
        unsafe evconnlistener_free(acceptor)
        for (number, connection) in connections where connection.state.isIdle { close(number) }
        if !connections.isEmpty { await drain() }
        for number in connections.keys { close(number) }
        unsafe event_free(sweeper)
        unsafe Unmanaged.passUnretained(self).release()
    }

    private func drain() async {
        let timer = Task {
            try await Task.sleep(for: .seconds(settings.limits.drainSeconds))
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

/// A listener that could not be started.
enum ListenerError: Error, Equatable {
    /// Not `host:port` or `[host]:port`.
    case notAnAddress(String)
    /// The address is in use, forbidden or unknown; `code` is an errno, or nil for an unknown name.
    case notBound(address: String, code: Int32?)
}

extension Listener {
    /// The interval at which time limits are checked.
    private static let sweepMilliseconds = 250

    /// Starts accepting; from here on libevent owns a reference to the listener.
    private func start(on descriptor: Int32, address: String) throws(ListenerError) {
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        unsafe acceptor = cevent_accept(
            loop.base,
            descriptor,
            { _, descriptor, address, _, context in
                guard let address = unsafe address else { return }
                var bytes = [UInt8](repeating: 0, count: 16)
                unsafe cevent_address(address, &bytes)
                let peer = PeerAddress(bytes: bytes)
                unsafe Listener.call(context) { $0.accept(descriptor, from: peer) }
            },
            context
        )
        guard let acceptor = unsafe acceptor else {
            let code = errno
            unsafe Unmanaged<Listener>.fromOpaque(context).release()
            throw .notBound(address: address, code: code)
        }
        unsafe sweeper = cevent_every(
            loop.base,
            Self.sweepMilliseconds,
            { _, _, context in unsafe Listener.call(context) { $0.sweep() } },
            context
        )
        guard unsafe sweeper != nil else { preconditionFailure("no memory for a listener") }
        // Usually there are no descriptors left: without a pause libevent would retry at once.
        unsafe evconnlistener_set_error_cb(acceptor) { _, context in
            unsafe Listener.call(context) { $0.pause() }
        }
    }

    private static func call(
        _ context: UnsafeMutableRawPointer?,
        _ body: @Sendable (isolated Listener) -> Void
    ) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue()
            .assumeIsolated { body($0) }
    }

    private func accept(_ descriptor: Int32, from peer: PeerAddress) {
        if let cut = cut(for: peer) {
            Glibc.close(descriptor)
            return responder.note(cut, at: settings.name)
        }
        acceptedCount += 1
        connections[acceptedCount] = unsafe Connection(
            acceptedCount,
            of: self,
            descriptor: descriptor,
            session: settings.makeSession?(),
            from: peer,
            state: HTTPConnectionState(limits: settings.limits, at: settings.uptime())
        )
        if !isFree(peer) { limiter.addConnection(of: peer.network) }
        if isFull { pause() }
    }

    /// Whether an address has no limits of its own: this machine's, or the proxy's.
    func isFree(_ peer: PeerAddress) -> Bool {
        peer.isLoopback && settings.freesLoopback || peer == settings.proxy
    }

    /// The network whose share a connection uses, or nil for an address without limits.
    func share(of peer: PeerAddress) -> PeerNetwork? { isFree(peer) ? nil : peer.network }

    private func cut(for peer: PeerAddress) -> Cut? {
        if isFree(peer) { return nil }
        guard settings.proxy == nil else { return .foreign }
        return limiter.hasRoom(for: peer.network, at: settings.uptime()) ? nil : .crowded
    }

    /// Stops accepting until a sweep finds room; new clients wait in the system's queue.
    private func pause() {
        guard let acceptor = unsafe acceptor else { return }
        isPaused = true
        _ = unsafe evconnlistener_disable(acceptor)
    }

    private var isFull: Bool { connections.count >= settings.limits.connections }

    /// The connections that may be closed to make room.
    private var idle: [(number: Int, since: Duration)] {
        let latest = settings.uptime() - .seconds(settings.limits.graceSeconds)
        return connections.compactMap { number, connection in
            let state = connection.state
            return state.isIdle && state.idleSince <= latest ? (number, state.idleSince) : nil
        }
    }

    /// Closes some of the longest idle connections if there are too many, and accepts again.
    private func makeRoom() {
        guard isPaused, let acceptor = unsafe acceptor else { return }
        if isFull {
            let longest = idle.sorted { $0.since < $1.since }
            for (number, _) in longest.prefix(1 + settings.limits.connections / 8) {
                responder.note(.evicted, at: settings.name)
                close(number)
            }
        }
        guard !isFull else { return }
        isPaused = false
        _ = unsafe evconnlistener_enable(acceptor)
    }

    private func sweep() {
        let now = settings.uptime()
        for (number, connection) in connections {
            if connection.state.isWriting, connection.hasProgressed() {
                connection.state.noteProgress(at: now)
            }
            if connection.state.isWriting { account(for: connection) }
            guard connection.state.isOverdue(at: now) else { continue }
            if connection.state.isUnfinished { responder.note(.overdue, at: settings.name) }
            close(number)
        }
        responder.note(connectionCount: connectionCount, at: settings.name)
        makeRoom()
    }

    /// Closes a connection; a pending reply is dropped.
    func close(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        if !isFree(connection.peer) { limiter.removeConnection(of: connection.peer.network) }
        limiter.hold(0, insteadOf: connection.heldByteCount, by: share(of: connection.peer))
        if isStopping, connections.isEmpty { finishDraining() }
    }
}
