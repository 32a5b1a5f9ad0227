internal import CEvent
internal import Glibc
internal import SyncCore

/// Accepts connections at one address and answers their requests.
///
/// What it is asked runs off the loop, so it may take its time; the reply goes back on the loop.
/// Several listeners can share a loop. A listener listens until ``stop()``, even where nothing
/// else refers to it.
@safe actor Listener {
    /// How a listener treats its clients.
    @safe struct Settings: Sendable {
        /// Stands for the listener in the metrics.
        var name = "devices"
        var limits = Limits()
        /// Makes an `SSL *` that accepts, for each connection; nil for plain HTTP.
        var makeSession: (@Sendable () -> OpaquePointer)?
        /// The one other machine from which connections are taken; nil for all of them.
        var proxy: PeerAddress?
        /// Whether this machine has no limits of its own: tools and proxies run on it.
        var freesLoopback = true
        /// Any clock that only goes forward.
        var uptime: @Sendable () -> Duration
        /// The wall clock, for the replies' dates.
        var now: @Sendable () -> UnixTime
    }

    /// The port in use, also where port 0 was asked for.
    nonisolated let port: Int

    let settings: Settings
    let responder: any Responder
    let loop: EventLoop
    var connections: [Int: Connection] = [:]
    var limiter: ConnectionLimiter
    /// Whole requests that wait for a handler, in their order.
    var waiting: ArraySlice<(number: Int, request: HTTPRequest)> = []
    var handlerCount = 0
    private var acceptedCount = 0
    private var acceptor: OpaquePointer?
    private var sweeper: OpaquePointer?
    private var isPaused = false
    private var drained: CheckedContinuation<Void, Never>?
    private(set) var isStopping = false

    /// The connections that are open.
    var connectionCount: Int { connections.count }

    /// The loop's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Listens at `address`, which is `host:port` or `[host]:port`.
    ///
    /// Calls `bound` with the port before the first client can connect. Throws ``ListenerError``,
    /// or what `bound` throws.
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

    /// Refuses new connections, closes the idle ones, gives requests that have begun the time for
    /// a drain, and closes; for its owner to call.
    func stop() async {
        guard let acceptor = unsafe acceptor else { return }
        isStopping = true
        unsafe self.acceptor = nil
        unsafe evconnlistener_free(acceptor)
        for (number, connection) in connections where connection.state.isIdle {
            close(number)
        }
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

/// Why there is no listener.
enum ListenerError: Error, Equatable {
    /// Not `host:port` or `[host]:port`.
    case notAnAddress(String)
    /// The address is in use, forbidden or unknown; `code` is an errno, nil for an unknown name.
    case notBound(address: String, code: Int32?)
}

extension Listener {
    /// How often deadlines are looked at.
    private static let sweepMilliseconds = 250

    /// From here on libevent holds the listener.
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
        // Out of descriptors, most likely: libevent would try again and again.
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
        let session = settings.makeSession?()
        connections[acceptedCount] = unsafe Connection(
            acceptedCount,
            of: self,
            socket: AcceptedSocket(descriptor: descriptor, peer: peer, session: session),
            on: loop,
            state: HTTPConnectionState(limits: settings.limits, at: settings.uptime())
        )
        if !isFree(peer) { limiter.addConnection(of: peer.network) }
        if isFull { pause() }
    }

    /// Whether an address has no limits of its own: it is this machine's, or stands for many.
    func isFree(_ peer: PeerAddress) -> Bool {
        peer.isLoopback && settings.freesLoopback || peer == settings.proxy
    }

    /// Who answers for what a connection holds; nil for an address that stands for many.
    func share(of peer: PeerAddress) -> PeerNetwork? { isFree(peer) ? nil : peer.network }

    private func cut(for peer: PeerAddress) -> Cut? {
        if isFree(peer) { return nil }
        guard settings.proxy == nil else { return .foreign }
        return limiter.hasRoom(for: peer.network, at: settings.uptime()) ? nil : .crowded
    }

    /// Accepts no more until the next sweep finds room; who comes waits with the system.
    private func pause() {
        guard let acceptor = unsafe acceptor else { return }
        isPaused = true
        _ = unsafe evconnlistener_disable(acceptor)
    }

    private var isFull: Bool { connections.count >= settings.limits.connections }

    /// The connections that may give way to others.
    private var idle: [(number: Int, since: Duration)] {
        let latest = settings.uptime() - .seconds(settings.limits.graceSeconds)
        return connections.compactMap { number, connection in
            let state = connection.state
            return state.isIdle && state.idleSince <= latest ? (number, state.idleSince) : nil
        }
    }

    /// Where there are too many connections, closes some of those that are idle longest, and
    /// accepts again.
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

    /// Ends a connection; a reply that is still to come is dropped.
    func close(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        if !isFree(connection.peer) { limiter.removeConnection(of: connection.peer.network) }
        limiter.hold(0, insteadOf: connection.heldByteCount, by: share(of: connection.peer))
        if isStopping, connections.isEmpty { finishDraining() }
    }
}
