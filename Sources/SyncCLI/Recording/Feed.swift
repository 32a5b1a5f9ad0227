internal import Glibc
import SyncCore

/// The bytes of a receiver, read on a thread of their own: it sleeps in `poll` until some come.
///
/// A connection over TCP that breaks is made again, with growing pauses.
actor Feed {
    /// What came of waiting.
    enum Event: Sendable, Equatable {
        case bytes([UInt8])
        /// Nothing came within the time.
        case silence
        /// The connection broke; it is tried again.
        case lost(reason: String)
        /// The connection is there again.
        case regained
        /// The file or pipe is at its end.
        case end
    }

    private static let pieceSize = 1 << 16
    private static let longestPauseMilliseconds: Int64 = 30_000

    private let executor = QueueExecutor(label: "feed")
    private let address: FeedAddress
    private let uptime: @Sendable () -> Int64
    private var descriptor: Int32 = -1
    private var failures = 0
    private var retryAt: Int64 = 0

    /// The feed's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A feed that is not open yet; `uptime` is a clock in milliseconds that never jumps.
    init(_ address: FeedAddress, uptime: @escaping @Sendable () -> Int64) {
        self.address = address
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
        case .tcp(let host, let port): descriptor = try Connection.open(host: host, port: port)
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return true }
        return status.st_mode & S_IFMT != S_IFREG
    }

    /// Waits for bytes, at most so long.
    func next(within milliseconds: Int64) throws -> Event {
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
        guard case .tcp = address else {
            if count == 0 { return .end }
            throw error
        }
        return lose(count == 0 ? "the other side closed it" : error.reason)
    }

    private func lose(_ reason: String) -> Event {
        close(descriptor)
        descriptor = -1
        pauseBeforeRetry()
        return .lost(reason: reason)
    }

    private func pauseBeforeRetry() {
        retryAt = uptime() + min(1000 << min(failures, 5), Self.longestPauseMilliseconds)
        failures += 1
    }

    private func reconnect(within milliseconds: Int64) -> Event {
        let rest = retryAt - uptime()
        guard rest <= 0, case .tcp(let host, let port) = address else {
            _ = poll(nil, 0, Int32(clamping: max(0, min(rest, milliseconds))))
            return .silence
        }
        do {
            descriptor = try Connection.open(host: host, port: port)
            return .regained
        } catch {
            pauseBeforeRetry()
            return .silence
        }
    }
}
