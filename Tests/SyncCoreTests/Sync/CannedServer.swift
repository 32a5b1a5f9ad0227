import Glibc

@testable import SyncCore

/// A server of one test: takes one connection after another and answers with given texts.
actor CannedServer {
    /// What it does about a request.
    enum Reply: Sendable {
        /// Sends this text and keeps the connection.
        case text(String)
        /// Sends this text and closes the connection.
        case last(String)
        /// Says nothing until the client closes the connection.
        case silence
    }

    nonisolated let port: Int
    /// The heads and bodies as they came, each once it is there.
    nonisolated let requests: AsyncStream<String>

    private let executor = QueueExecutor(label: "canned")
    private let listening: Int32
    private let arrived: AsyncStream<String>.Continuation

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    init() {
        (requests, arrived) = AsyncStream.makeStream()
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        Self.limitWaiting(listening)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listening
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            guard let pointer = unsafe pointer else { return }
            _ = unsafe bind(descriptor, pointer, size)
            _ = listen(descriptor, 8)
            _ = unsafe getsockname(descriptor, pointer, &size)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        _ = close(listening)
    }

    /// The address to connect to.
    nonisolated var authority: String { "127.0.0.1:\(port)" }

    /// Gives each request the next reply; returns the number of connections that it took.
    @discardableResult
    func serve(_ replies: [Reply]) -> Int {
        var connectionCount = 0
        var connection: Int32 = -1
        for reply in replies {
            if connection < 0 {
                connection = accept(listening, nil, nil)
                guard connection >= 0 else { break }
                Self.limitWaiting(connection)
                connectionCount += 1
            }
            arrived.yield(readRequest(connection))
            switch reply {
            case .text(let text):
                send(text, connection)
                continue
            case .last(let text): send(text, connection)
            case .silence: _ = read(connection)
            }
            _ = close(connection)
            connection = -1
        }
        if connection >= 0 { _ = close(connection) }
        arrived.finish()
        return connectionCount
    }

    /// A client that does not come, or says nothing, fails a test and does not hang it.
    private static func limitWaiting(_ descriptor: Int32) {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    }

    /// A head and as much body as it says.
    private func readRequest(_ connection: Int32) -> String {
        var text = ""
        while true {
            if let end = text.firstRange(of: "\r\n\r\n") {
                let length =
                    text.firstMatch(of: /Content-Length: ([0-9]+)/)
                    .flatMap { Int($0.1) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            let more = read(connection)
            if more.isEmpty { return text }
            text += more
        }
    }

    private func read(_ connection: Int32) -> String {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(connection, &part, part.count, 0)
        return String(decoding: part.prefix(max(0, count)), as: UTF8.self)
    }

    private func send(_ text: String, _ connection: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
