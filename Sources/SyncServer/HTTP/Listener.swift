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
        var limits = Limits()
        /// Makes an `SSL *` that accepts, for each connection; nil for plain HTTP.
        var makeSession: (@Sendable () -> OpaquePointer)?
        /// The one machine from which plain HTTP is taken; nil for every one that can connect.
        var proxy: PeerAddress?
        /// Any clock that only goes forward.
        var uptime: @Sendable () -> Duration
        /// The wall clock, for the replies' dates.
        var now: @Sendable () -> UnixTime

        /// Databases, views and the log have these descriptors.
        private static let otherDescriptors = 128

        /// The same with no more connections than there can be descriptors.
        func fitting(descriptors: Int) -> Settings {
            var settings = self
            let room = max(1, descriptors - Self.otherDescriptors)
            settings.limits.connections = min(limits.connections, room)
            return settings
        }
    }

    /// The port in use, also where port 0 was asked for.
    nonisolated let port: Int

    let settings: Settings
    let responder: any Responder
    let loop: EventLoop
    var connections: [Int: Connection] = [:]
    var crowd: Crowd
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
    init(
        on loop: EventLoop,
        address: String,
        settings: Settings,
        responder: any Responder
    ) async throws {
        let (host, portText) = try Self.split(address)
        var bound: UInt16 = 0
        let descriptor = unsafe cevent_bind(host, portText, &bound)
        guard descriptor >= 0 else {
            throw ListenerError.notBound(address: address, code: descriptor == -1 ? errno : nil)
        }
        self.loop = loop
        self.settings = settings.fitting(descriptors: EventLoop.descriptorLimit)
        self.responder = responder
        crowd = Crowd(limits: settings.limits)
        port = Int(bound)
        start(on: descriptor)
    }

    /// Refuses new connections, closes the idle ones, gives requests that have begun the time for
    /// a drain, and closes.
    func stop() async {
        guard let acceptor = unsafe acceptor, !isStopping else { return }
        isStopping = true
        unsafe evconnlistener_free(acceptor)
        for (number, connection) in connections where connection.conversation.isIdle {
            close(number)
        }
        if !connections.isEmpty { await drain() }
        for number in connections.keys { close(number) }
        unsafe event_free(sweeper)
        unsafe self.acceptor = nil
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
        unsafe sweeper = cevent_every(
            loop.base,
            Self.sweepMilliseconds,
            { _, _, context in unsafe Listener.call(context) { $0.sweep() } },
            context
        )
        guard let acceptor = unsafe acceptor, unsafe sweeper != nil else {
            preconditionFailure("no memory for a listener")
        }
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
            return responder.note(cut)
        }
        makeRoom()
        acceptedCount += 1
        let session = settings.makeSession?()
        connections[acceptedCount] = unsafe Connection(
            acceptedCount,
            of: self,
            socket: AcceptedSocket(descriptor: descriptor, peer: peer, session: session),
            on: loop,
            conversation: Conversation(limits: settings.limits, at: settings.uptime())
        )
        if !isFree(peer) { crowd.add(peer.network) }
        if isFull, idle.isEmpty { pause() }
    }

    /// Whether an address has no limits of its own: it is this machine's, or stands for many.
    func isFree(_ peer: PeerAddress) -> Bool { peer.isLoopback || peer == settings.proxy }

    private func cut(for peer: PeerAddress) -> Cut? {
        if isFree(peer) { return nil }
        guard settings.proxy == nil else { return .foreign }
        return crowd.hasRoom(for: peer.network, at: settings.uptime()) ? nil : .crowded
    }

    /// Accepts no more until the next sweep finds room; who comes waits with the system.
    private func pause() {
        guard let acceptor = unsafe acceptor, !isStopping else { return }
        isPaused = true
        _ = unsafe evconnlistener_disable(acceptor)
    }

    private var isFull: Bool { connections.count >= settings.limits.connections }

    /// The connections that may give way to others.
    private var idle: [(number: Int, since: Duration)] {
        let latest = settings.uptime() - .seconds(settings.limits.graceSeconds)
        return connections.compactMap { number, connection in
            let talk = connection.conversation
            return talk.isIdle && talk.idleSince <= latest ? (number, talk.idleSince) : nil
        }
    }

    /// Closes the connections that are idle longest, a few at a time, where there are too many.
    private func makeRoom() {
        guard isFull else { return }
        let longest = idle.sorted { $0.since < $1.since }
        for (number, _) in longest.prefix(1 + settings.limits.connections / 64) {
            responder.note(.evicted)
            close(number)
        }
    }

    private func sweep() {
        let now = settings.uptime()
        for (number, connection) in connections {
            if connection.conversation.isWriting, connection.hasProgressed() {
                connection.conversation.noteProgress(at: now)
            }
            guard connection.conversation.isOverdue(at: now) else { continue }
            if !connection.conversation.isIdle { responder.note(.overdue) }
            close(number)
        }
        responder.note(connectionCount: connectionCount)
        if isPaused, connections.count < settings.limits.connections, let acceptor = unsafe acceptor
        {
            isPaused = false
            _ = unsafe evconnlistener_enable(acceptor)
        }
    }

    /// Ends a connection; a reply that is still to come is dropped.
    func close(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        if !isFree(connection.peer) { crowd.remove(connection.peer.network) }
        crowd.hold(0, insteadOf: connection.heldByteCount)
        if isStopping, connections.isEmpty { finishDraining() }
    }
}
