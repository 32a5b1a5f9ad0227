import Dispatch
import Glibc
import Testing

@testable import SyncServer

/// A connection to a port of this machine that sends what no HTTP library would.
///
/// It does one thing after the other on a thread of its own: a test that waits for bytes keeps
/// none from the server under test.
final class RawClient: Sendable {
    private let descriptor: Locked<Int32>
    private let queue = DispatchQueue(label: "raw-client")

    /// Connects to an IPv4 address of this machine.
    init(host: String = "127.0.0.1", port: Int) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = Locked(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = unsafe inet_addr(host)
        // As long as a test may hang; see HangLimit.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        let code = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe connect(
                descriptor,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        guard code == 0 else { throw ConnectionError.refused(errno) }
    }

    deinit {
        Self.close(descriptor)
    }

    /// Sends as much of a text as the server takes.
    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends as much as the server takes.
    func send(_ bytes: [UInt8]) {
        then { descriptor in
            var bytes = bytes[...]
            while !bytes.isEmpty {
                let count = unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                bytes = bytes.dropFirst(count)
            }
        }
    }

    /// Everything until the server closes.
    func receiveAll() async -> String {
        String(decoding: await receiveBytes(), as: UTF8.self)
    }

    /// The same, undecoded.
    func receiveBytes() async -> [UInt8] {
        await receive { descriptor in
            var all: [UInt8] = []
            errno = 0
            var part = [UInt8](repeating: 0, count: 65_536)
            while case let count = unsafe recv(descriptor, &part, part.count, 0), count > 0 {
                all += part[..<count]
            }
            if errno == EAGAIN { Issue.record("the server neither sends nor closes") }
            return all
        }
    }

    /// The next line with its end.
    func receiveLine() async -> String {
        let line = await receive { descriptor in
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while line.last != UInt8(ascii: "\n"), unsafe recv(descriptor, &byte, 1, 0) == 1 {
                line.append(byte)
            }
            return line
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Breaks the connection off instead of closing it: the server gets a reset.
    func reset() {
        then { descriptor in
            var option = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<linger>.size)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        }
        close()
    }

    /// Says that nothing more is sent, and still reads.
    func shutDown() {
        then { _ = shutdown($0, Int32(SHUT_WR)) }
    }

    func close() {
        queue.async { Self.close(self.descriptor) }
    }

    private static func close(_ descriptor: Locked<Int32>) {
        descriptor.withLock {
            if $0 >= 0 { _ = Glibc.close($0) }
            $0 = -1
        }
    }

    private func then(_ work: @escaping @Sendable (Int32) -> Void) {
        queue.async { work(self.descriptor.withLock { $0 }) }
    }

    private func receive(_ work: @escaping @Sendable (Int32) -> [UInt8]) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            then { continuation.resume(returning: work($0)) }
        }
    }
}

enum ConnectionError: Error {
    case refused(Int32)
}
