import Foundation
import Harness

/// A TCP socket on loopback, closed when nobody refers to it any more.
final class Socket: Sendable {
    private let descriptor: Int32

    /// No call waits longer: the relay of a test that failed ends.
    ///
    /// As long as a test may hang.
    private static let longestSeconds = 600

    private init(_ descriptor: Int32) throws {
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Self.longestSeconds, tv_usec: 0)
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout<timeval>.size)
        let flag = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, flag)
    }

    deinit {
        close(descriptor)
    }

    private static func open() throws -> Socket {
        try Socket(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    /// A socket that listens, and its port; what comes when `backlog` and one more wait is dropped.
    static func listening(backlog: Int32 = 64) throws -> (socket: Socket, port: UInt16) {
        let socket = try open()
        var address = address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(socket.descriptor, pointer, size) == 0,
                    listen(socket.descriptor, backlog) == 0
                else { return Int32(-1) }
                return unsafe getsockname(socket.descriptor, pointer, &size)
            }
        }
        guard code == 0 else { throw POSIXError(.EADDRINUSE) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// A connection to a port of this machine.
    static func connected(to port: UInt16) throws -> Socket {
        let socket = try open()
        var address = address(port: port)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(
                    socket.descriptor,
                    pointer,
                    socklen_t(MemoryLayout<sockaddr_in>.size)
                )
            }
        }
        guard code == 0 else { throw POSIXError(.ECONNREFUSED) }
        return socket
    }

    /// The next connection, nil after ``end()``.
    func accepted() -> Socket? {
        while true {
            let descriptor = accept(descriptor, nil, nil)
            guard descriptor < 0 else { return try? Socket(descriptor) }
            guard [EAGAIN, EINTR, ECONNABORTED].contains(errno) else { return nil }
        }
    }

    /// What came next, nil at the end of it.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// Returns once the other side has closed or reset the connection.
    func waitForEnd() {
        var request = pollfd(fd: descriptor, events: Self.peerClosed, revents: 0)
        _ = unsafe poll(&request, 1, Int32(Self.longestSeconds * 1000))
    }

    /// POLLRDHUP of poll.h, which names it for _GNU_SOURCE only.
    private static let peerClosed: Int16 = 0x2000

    /// Sends all of it; false where the other end is gone.
    @discardableResult
    func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var bytes = bytes
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Says that no more is sent.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends both directions; whoever waits in ``receive()`` or ``accepted()`` goes on.
    func end() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Has the connection end as one does whose other side lost power: with a reset, not an end.
    func abort() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
    }
}

/// What the system knows of the ports of this machine.
extension Socket {
    /// Waits until a program listens on a port.
    static func wait(forListenerOn port: UInt16) async throws {
        let line = " 0100007F:\(hexadecimal(port)) 00000000:0000 0A "
        try await until("a listener on port \(port)") { try connections().contains(line) }
    }

    /// Whether a program is trying to connect to a port that does not answer.
    static func isAttempted(_ port: UInt16) throws -> Bool {
        try connections().contains(" 0100007F:\(hexadecimal(port)) 02 ")
    }

    private static func hexadecimal(_ port: UInt16) -> String { String(format: "%04X", Int(port)) }

    private static func connections() throws -> String {
        let table = try FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd() ?? Data()
        return String(decoding: table, as: UTF8.self)
    }
}
