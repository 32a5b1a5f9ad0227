import Glibc

/// A connection to a port of this machine that sends what no HTTP library would.
final class RawClient {
    private var descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // No read waits longer than this; a test that gets there fails.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
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
        close()
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Everything until the server closes.
    func receiveAll() -> String {
        String(decoding: receiveBytes(), as: UTF8.self)
    }

    /// The same, undecoded.
    func receiveBytes() -> [UInt8] {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe recv(descriptor, &part, part.count, 0), count > 0 {
            all += part[..<count]
        }
        return all
    }

    /// Breaks the connection off instead of closing it: the server gets a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        close()
    }

    /// Says that nothing more is sent, and still reads.
    func shutDown() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}

enum ConnectionError: Error {
    case refused(Int32)
}
