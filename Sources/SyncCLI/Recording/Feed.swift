internal import Glibc
import SyncCore

/// The bytes of a receiver, read on a thread of their own: it sleeps in `poll` until some come.
///
/// A connection over TCP that breaks is made again, with growing pauses.
actor Feed: Source {
    private static let pieceSize = 1 << 16
    private static let longestPauseMilliseconds: Int64 = 30_000

    private let executor = QueueExecutor(label: "feed")
    private let address: FeedAddress
    /// The speed of a serial line in bits a second; nil to leave it as it is.
    private let baud: Int?
    private let uptime: @Sendable () -> Int64
    private var descriptor: Int32 = -1
    private var failures = 0
    private var retryAt: Int64 = 0

    /// The feed's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A feed that is not open yet; `uptime` is a clock in milliseconds that never jumps.
    init(_ address: FeedAddress, baud: Int? = nil, uptime: @escaping @Sendable () -> Int64) {
        self.address = address
        self.baud = baud
        self.uptime = uptime
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// Opens the feed; whether bytes come as they are made, and not from a file that is there.
    func open() throws -> Bool {
        switch address {
        case .standardInput: descriptor = STDIN_FILENO
        case .file(let path):
            descriptor = unsafe Glibc.open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileError.last(.read, path) }
            try SerialLine.prepare(descriptor, baud: baud, path: path)
        case .udp(let host, let port): descriptor = try Connection.listen(host: host, port: port)
        case .tcp, .gpsd: try connect()
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return true }
        return status.st_mode & S_IFMT != S_IFREG
    }

    private func connect() throws(ConnectionError) {
        switch address {
        case .tcp(let host, let port): descriptor = try Connection.open(host: host, port: port)
        case .gpsd(let host, let port):
            descriptor = try Connection.open(host: host, port: port)
            // A connection that was just made takes so few bytes at once, or is lost.
            _ = unsafe send(
                descriptor,
                GPSDReader.request,
                GPSDReader.request.count,
                Int32(MSG_NOSIGNAL)
            )
        case .standardInput, .file, .udp: break
        }
    }

    /// Waits for bytes, at most so long.
    func next(within milliseconds: Int64) throws -> SourceEvent {
        guard descriptor >= 0 else { return reconnect(within: milliseconds) }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, Int32(clamping: max(milliseconds, 0)))
        guard ready > 0 else { return .silence }
        var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        if count > 0 {
            failures = 0
            return .bytes(Array(bytes.prefix(count)))
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return .silence }
        let error = FileError.last(.read, address.description)
        guard address.isConnection else {
            // A datagram without content is no end.
            if case .udp = address, count == 0 { return .silence }
            if count == 0 { return .end }
            throw error
        }
        return lose(count == 0 ? "the other side closed it" : error.reason)
    }

    private func lose(_ reason: String) -> SourceEvent {
        close(descriptor)
        descriptor = -1
        pauseBeforeRetry()
        return .lost(reason: reason)
    }

    private func pauseBeforeRetry() {
        retryAt = uptime() + min(1000 << min(failures, 5), Self.longestPauseMilliseconds)
        failures += 1
    }

    private func reconnect(within milliseconds: Int64) -> SourceEvent {
        let rest = retryAt - uptime()
        guard rest <= 0, address.isConnection else {
            _ = poll(nil, 0, Int32(clamping: max(0, min(rest, milliseconds))))
            return .silence
        }
        do {
            try connect()
            return .regained
        } catch {
            pauseBeforeRetry()
            return .silence
        }
    }
}
