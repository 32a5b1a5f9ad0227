internal import CEvent
internal import SyncCore

/// One socket of a listener with its HTTP state, confined to the event loop.
@safe final class Connection {
    let peer: PeerAddress
    var state: HTTPConnectionState
    private let handle: OpaquePointer
    private let ticket: Ticket
    /// The body bytes of a request that a handler has or that waits for one.
    var handledByteCount = 0
    /// The bytes that the listener counts for this connection.
    var heldByteCount = 0
    /// The unwritten bytes at the last check of progress.
    private var unwritten = 0

    /// The limit of the read buffer; further bytes stay in the socket.
    private static let readByteLimit = 64 << 10

    /// The callbacks' reference to a connection.
    private final class Ticket: Sendable {
        let listener: Listener
        let number: Int

        init(_ listener: Listener, _ number: Int) {
            self.listener = listener
            self.number = number
        }
    }

    /// Takes ownership of a descriptor and a session, and starts reading.
    init(
        _ number: Int,
        of listener: Listener,
        socket: AcceptedSocket,
        on loop: EventLoop,
        state: HTTPConnectionState
    ) {
        guard
            let handle = unsafe cevent_connection(
                loop.base,
                socket.descriptor,
                socket.session.map { unsafe UnsafeMutableRawPointer($0) },
                Self.readByteLimit
            )
        else { preconditionFailure("no memory for a connection") }
        unsafe self.handle = handle
        self.state = state
        peer = socket.peer
        ticket = Ticket(listener, number)
        setCallbacks()
        setReading(true)
    }

    deinit {
        unsafe cevent_close(handle)
    }

    private func setCallbacks() {
        unsafe bufferevent_setcb(
            handle,
            { _, context in unsafe Connection.call(context) { $0.readable($1) } },
            { _, context in unsafe Connection.call(context) { $0.written($1) } },
            { _, events, context in
                guard events & cevent_connected == 0 else { return }
                let isBroken = events & cevent_broken != 0
                unsafe Connection.call(context) { $0.ended($1, isBroken: isBroken) }
            },
            Unmanaged.passUnretained(ticket).toOpaque()
        )
    }

    private static func call(
        _ context: UnsafeMutableRawPointer?,
        _ body: @Sendable (isolated Listener, Int) -> Void
    ) {
        guard let context = unsafe context else { return }
        let ticket = unsafe Unmanaged<Ticket>.fromOpaque(context).takeUnretainedValue()
        ticket.listener.assumeIsolated { body($0, ticket.number) }
    }
}

extension Connection {
    /// Removes and returns all received bytes.
    func takeBytes() -> [UInt8] {
        let count = unsafe cevent_unread(handle)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            initialized = unsafe cevent_take(handle, bytes.baseAddress, count)
        }
    }

    /// Starts or stops reading; while stopped, TCP flow control holds the client back.
    func setReading(_ isReading: Bool) {
        if isReading {
            _ = unsafe bufferevent_enable(handle, cevent_read)
        } else {
            _ = unsafe bufferevent_disable(handle, cevent_read)
        }
    }

    func write(_ bytes: [UInt8]) {
        _ = unsafe bufferevent_write(handle, bytes, bytes.count)
        unwritten = unwrittenByteCount
    }

    /// The bytes of replies that the system has not accepted yet.
    var unwrittenByteCount: Int { unsafe cevent_unwritten(handle) }

    /// Whether the client has accepted some of the reply since the last call.
    func hasProgressed() -> Bool {
        let rest = unwrittenByteCount
        defer { unwritten = rest }
        return rest < unwritten
    }

    /// Ends the sending side: TLS close notify, then shutdown.
    func finish() { unsafe cevent_finish(handle) }
}

/// The parts of a new connection, which takes ownership of both handles.
@safe struct AcceptedSocket {
    let descriptor: Int32
    let peer: PeerAddress
    /// An accepting `SSL *`, or nil for plain HTTP.
    let session: OpaquePointer?
}
