internal import Glibc

/// Groups of the network, to which a multiplexer may send what all may hear (RFC 1112, RFC 4291).
enum Multicast {
    /// Whether an address is that of a group: 224.0.0.0/4 or ff00::/8.
    static func isGroup(_ address: addrinfo) -> Bool {
        guard let start = unsafe address.ai_addr else { return false }
        switch unsafe address.ai_family {
        case AF_INET:
            return unsafe UnsafeRawPointer(start).load(as: sockaddr_in.self)
                .sin_addr.s_addr.bigEndian >> 28 == 0xe
        case AF_INET6:
            return unsafe UnsafeRawPointer(start).load(as: sockaddr_in6.self)
                .sin6_addr.__in6_u.__u6_addr8.0 == 0xff
        default: return false
        }
    }

    /// Binds a socket to the port of a group; zero, or the system's number for what went wrong.
    ///
    /// The system takes a group of IPv6 that ends at its link for one interface only, so there the
    /// port is bound on all addresses.
    static func bind(_ descriptor: Int32, to group: addrinfo) -> Int32 {
        guard unsafe group.ai_family == AF_INET6 else {
            return unsafe Glibc.bind(descriptor, group.ai_addr, group.ai_addrlen) == 0 ? 0 : errno
        }
        var address = unsafe UnsafeRawPointer(group.ai_addr).load(as: sockaddr_in6.self)
        address.sin6_addr = in6_addr()
        let code = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.bind(descriptor, pointer, group.ai_addrlen)
            }
        }
        return code == 0 ? 0 : errno
    }

    /// Joins a group on all interfaces of the machine (RFC 3678): zero once one of them took it, else
    /// the system's number for what went wrong.
    ///
    /// Left to itself the system takes the interface of its route to the group, and a boat without a
    /// way to the Internet may have none.
    static func join(_ group: addrinfo, with descriptor: Int32) -> Int32 {
        let level = unsafe group.ai_family == AF_INET ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6)
        var request = group_req()
        unsafe withUnsafeMutableBytes(of: &request.gr_group) { room in
            unsafe room.copyMemory(
                from: UnsafeRawBufferPointer(start: group.ai_addr, count: Int(group.ai_addrlen))
            )
        }
        var failure = ENODEV
        var isJoined = false
        for interface in interfaces() {
            request.gr_interface = interface
            let size = socklen_t(MemoryLayout<group_req>.size)
            if unsafe setsockopt(descriptor, level, MCAST_JOIN_GROUP, &request, size) == 0 {
                isJoined = true
            } else {
                failure = errno
            }
        }
        return isJoined ? 0 : failure
    }

    private static func interfaces() -> [UInt32] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var indices: Set<UInt32> = []
        var next = unsafe list
        while let entry = unsafe next {
            indices.insert(unsafe if_nametoindex(entry.pointee.ifa_name))
            unsafe next = entry.pointee.ifa_next
        }
        return indices.subtracting([0]).sorted()
    }
}
