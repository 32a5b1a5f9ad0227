internal import Glibc

/// Opens sockets to receivers on the network.
enum Connection {
    /// Connects over TCP; each address of the host gets `limitMilliseconds` to answer.
    static func open(
        host: String,
        port: String,
        limitMilliseconds: Int32
    ) throws(ConnectionError) -> Int32 {
        try unsafe open(host: host, port: port, SOCK_STREAM) { descriptor, address in
            unsafe connect(descriptor, to: address, limitMilliseconds)
        }
    }

    /// Opens a socket for UDP datagrams on a port.
    ///
    /// `host` is a local address, a multicast group to join, or nil for all local addresses.
    static func listen(host: String?, port: String) throws(ConnectionError) -> Int32 {
        try unsafe open(host: host, port: port, SOCK_DGRAM) { descriptor, address in
            guard descriptor >= 0 else { return errno }
            // Several programs on this machine may read the datagrams of a multiplexer.
            var yes: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
            guard unsafe Multicast.isGroup(address) else {
                return unsafe bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
            }
            let code = unsafe Multicast.bind(descriptor, to: address)
            return unsafe code == 0 ? Multicast.join(address, with: descriptor) : code
        }
    }

    private static func open(
        host: String?,
        port: String,
        _ type: __socket_type,
        _ use: (Int32, addrinfo) -> Int32
    ) throws(ConnectionError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(type.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, port, &hints, &list)
        guard code == 0 else {
            throw .unknownHost(host ?? port, reason: unsafe text(gai_strerror(code)))
        }
        defer { unsafe freeaddrinfo(list) }
        var next = unsafe list
        var failure = ETIMEDOUT
        while let address = unsafe next {
            let descriptor = unsafe socket(
                address.pointee.ai_family,
                Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
                0
            )
            failure = unsafe use(descriptor, address.pointee)
            if failure == 0 { return descriptor }
            if descriptor >= 0 { close(descriptor) }
            unsafe next = address.pointee.ai_next
        }
        throw .refused("\(host ?? ""):\(port)", reason: unsafe text(strerror(failure)))
    }

    /// Connects a socket and returns 0 or an `errno` code.
    private static func connect(
        _ descriptor: Int32,
        to address: addrinfo,
        _ limitMilliseconds: Int32
    ) -> Int32 {
        guard descriptor >= 0 else { return errno }
        if unsafe Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            guard errno == EINPROGRESS else { return errno }
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, limitMilliseconds) > 0 else { return ETIMEDOUT }
            var failure: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
            guard failure == 0 else { return failure }
        }
        // A plotter that loses power closes no connection. Keepalive probes start after 10 seconds
        // of silence, and the connection fails after 3 unanswered probes, 5 seconds apart.
        var (yes, idle, interval, tries): (Int32, Int32, Int32, Int32) = (1, 10, 5, 3)
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, &idle, size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, &interval, size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, &tries, size)
        return 0
    }

    private static func text(_ words: UnsafePointer<CChar>?) -> String {
        let text = unsafe words.map { unsafe String(cString: $0) } ?? "unknown"
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// The reasons why no connection could be made.
enum ConnectionError: Error, Equatable {
    /// The host name cannot be resolved.
    case unknownHost(String, reason: String)
    /// Every address of the host failed.
    case refused(String, reason: String)
}
