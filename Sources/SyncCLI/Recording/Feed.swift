internal import Glibc
import SyncCore

/// The byte stream of a receiver, read on its own thread, which blocks in `poll`.
///
/// Reconnects TCP and reopens an unplugged serial device, with exponential backoff.
actor Feed: Source {
    private static let pieceSize = 1 << 16
    private static let longestPauseMilliseconds: Int64 = 30_000
    /// The polling interval while the feed is being opened.
    private static let stepMilliseconds: Int64 = 10

    private let executor = QueueExecutor(label: "feed")
    private let address: FeedAddress
    private let opener: FeedOpener
    private let uptime: @Sendable () -> Int64
    private var descriptor: Int32 = -1
    /// Whether the feed is reopened after it ends.
    ///
    /// Determined at opening, because an unplugged device is no longer a terminal.
    private var returns = false
    private var isOpening = false
    /// The error of the first attempt to open the feed.
    private var failure: (any Error)?
    /// Whether the feed was open and its connection broke.
    private var isLost = false
    private var failures = 0
    private var retryAt: Int64 = 0

    /// The feed's own thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Creates a feed that is not open yet.
    ///
    /// `baud` is the speed of a serial line in bits per second, or nil to leave it unchanged.
    /// `connectionLimitMilliseconds` is the time limit per address of a host. `uptime` is a
    /// monotonic clock in milliseconds.
    init(
        _ address: FeedAddress,
        baud: Int? = nil,
        connectionLimitMilliseconds: Int32 = 5000,
        uptime: @escaping @Sendable () -> Int64
    ) {
        self.address = address
        self.uptime = uptime
        opener = FeedOpener(address, baud: baud, limitMilliseconds: connectionLimitMilliseconds)
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// Starts opening the feed and returns whether it is open; callers repeat this until it is.
    func isOpen() throws -> Bool {
        if let failure { throw failure }
        guard descriptor < 0 else { return true }
        if !isOpening { open() }
        pause(Self.stepMilliseconds)
        return false
    }

    /// Whether the bytes arrive in real time, not from a regular file.
    var isLive: Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return true }
        return status.st_mode & S_IFMT != S_IFREG
    }

    /// Opens the feed on another thread: this may take many seconds and must not block this one.
    private func open() {
        isOpening = true
        Task {
            do {
                descriptor = try await opener.open()
                returns = mayReturn
            } catch {
                if isLost { pauseBeforeRetry() } else { failure = error }
            }
            isOpening = false
        }
    }

    private var mayReturn: Bool {
        switch address {
        case .tcp, .gpsd: true
        case .file: isatty(descriptor) == 1
        case .standardInput, .udp: false
        }
    }

    /// Waits for bytes for at most `milliseconds`.
    func next(within milliseconds: Int64) throws -> SourceEvent {
        guard descriptor >= 0 else { return reopen(within: milliseconds) }
        guard !isLost else {
            isLost = false
            return .regained
        }
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
        guard returns else {
            // An empty datagram is not the end of the stream.
            if case .udp = address, count == 0 { return .silence }
            if count == 0 { return .end }
            throw error
        }
        return lose(count == 0 ? "the other side closed the connection" : error.reason)
    }

    private func lose(_ reason: String) -> SourceEvent {
        close(descriptor)
        descriptor = -1
        isLost = true
        pauseBeforeRetry()
        return .lost(reason: reason)
    }

    private func pauseBeforeRetry() {
        retryAt = uptime() + min(1000 << min(failures, 5), Self.longestPauseMilliseconds)
        failures += 1
    }

    private func reopen(within milliseconds: Int64) -> SourceEvent {
        let rest = retryAt - uptime()
        if rest <= 0, !isOpening { open() }
        pause(min(isOpening ? Self.stepMilliseconds : rest, milliseconds))
        return .silence
    }

    private func pause(_ milliseconds: Int64) {
        _ = poll(nil, 0, Int32(clamping: max(0, milliseconds)))
    }
}
