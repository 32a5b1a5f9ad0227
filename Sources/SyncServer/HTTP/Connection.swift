internal import CEvent
internal import SyncCore

/// One socket of a listener with its HTTP state, confined to the event loop.
@safe final class Connection {
    let peer: PeerAddress
    var state: HTTPConnectionState
    private let handle: OpaquePointer
    private let listener: Listener
    private let number: Int
    /// The body bytes of a request that a handler has or that waits for one.
    var handledByteCount = 0
    /// The bytes that the listener counts for this connection.
    var heldByteCount = 0
    /// The unwritten bytes at the last check of progress.
    private var unwritten = 0

    /// The limit of the read buffer; further bytes stay in the socket.
    private static let readByteLimit = 64 << 10

    /// Takes ownership of a descriptor and of an accepting `SSL *`, and starts reading.
    ///
    /// The session is nil for plain HTTP.
    init(
        _ number: Int,
        of listener: Listener,
        descriptor: Int32,
        session: OpaquePointer?,
        from peer: PeerAddress,
        state: HTTPConnectionState
    ) {
        let session = unsafe session.map { unsafe UnsafeMutableRawPointer($0) }
        let limit = Self.readByteLimit
        guard
            let handle = unsafe cevent_connection(listener.loop.base, descriptor, session, limit)
        else { preconditionFailure("no memory for a connection") }
        unsafe self.handle = handle
        self.state = state
        self.peer = peer
        (self.listener, self.number) = (listener, number)
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
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private static func call(
        _ context: UnsafeMutableRawPointer?,
        _ body: @Sendable (isolated Listener, Int) -> Void
    ) {
        guard let context = unsafe context else { return }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        let number = connection.number
        connection.listener.assumeIsolated { body($0, number) }
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
