internal import Glibc
import SyncCore

/// Opens a feed on its own thread.
///
/// A name server, host or pipe that does not answer may take many seconds; the recorder still
/// obeys its user meanwhile.
actor FeedOpener {
    private let executor = QueueExecutor(label: "feed opener")
    private let address: FeedAddress
    private let baud: Int?
    private let limitMilliseconds: Int32

    /// The opener's own thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    init(_ address: FeedAddress, baud: Int?, limitMilliseconds: Int32) {
        self.address = address
        self.baud = baud
        self.limitMilliseconds = limitMilliseconds
    }

    /// Opens the feed and returns its file descriptor, which the caller closes.
    func open() throws -> Int32 {
        switch address {
        case .standardInput: return STDIN_FILENO
        case .file(let path): return try open(path)
        case .udp(let host, let port): return try Connection.listen(host: host, port: port)
        case .tcp(let host, let port): return try connect(to: host, port)
        case .gpsd(let host, let port):
            let descriptor = try connect(to: host, port)
            // A new connection buffers so few bytes at once; the next read reports any failure.
            let request = GPSDReader.request
            _ = unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
            return descriptor
        }
    }

    private func connect(to host: String, _ port: String) throws(ConnectionError) -> Int32 {
        try Connection.open(host: host, port: port, limitMilliseconds: limitMilliseconds)
    }

    private func open(_ path: String) throws(FileError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(.read, path) }
        do {
            try SerialLine.prepare(descriptor, baud: baud, path: path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
