internal import CEvent
internal import SyncCore

/// One socket of a listener and what is said over it; lives on the loop.
@safe final class Connection {
    let peer: PeerAddress
    var state: HTTPConnectionState
    private let handle: OpaquePointer
    private let ticket: Ticket
    /// The bytes of the request that a handler has.
    var handledByteCount = 0
    /// What the listener counts for this connection.
    var heldByteCount = 0
    /// What was left of a reply when its progress was looked at last.
    private var unwritten = 0

    /// So much waits in the socket's buffer to be taken.
    private static let readByteLimit = 64 << 10

    /// Names a connection to the callbacks.
    private final class Ticket: Sendable {
        let listener: Listener
        let number: Int

        init(_ listener: Listener, _ number: Int) {
            self.listener = listener
            self.number = number
        }
    }

    /// Takes over a descriptor and a session, and begins to read.
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
    /// All bytes that have come.
    func takeBytes() -> [UInt8] {
        let count = unsafe cevent_unread(handle)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            initialized = unsafe cevent_take(handle, bytes.baseAddress, count)
        }
    }

    /// Whether bytes are taken from the socket; they wait in the client otherwise.
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

    /// What of the replies is not in the system's hands yet.
    var unwrittenByteCount: Int { unsafe cevent_unwritten(handle) }

    /// Whether the client took some of the reply since this was asked last.
    func hasProgressed() -> Bool {
        let rest = unwrittenByteCount
        defer { unwritten = rest }
        return rest < unwritten
    }

    /// Says that no more comes.
    func finish() {
        unsafe cevent_finish(handle)
    }
}

/// What a new connection is made of; whoever makes the connection owns both handles.
@safe struct AcceptedSocket {
    let descriptor: Int32
    let peer: PeerAddress
    /// An `SSL *` that accepts, nil for plain HTTP.
    let session: OpaquePointer?
}
