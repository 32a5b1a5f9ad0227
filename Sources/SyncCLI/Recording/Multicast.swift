internal import Glibc

/// Multicast groups, to which a multiplexer may send (RFC 1112, RFC 4291).
enum Multicast {
    /// Returns whether an address is a multicast group: 224.0.0.0/4 or ff00::/8.
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

    /// Binds a socket to the port of a group and returns 0 or an `errno` code.
    ///
    /// The kernel binds a link-local IPv6 group to a single interface only, so for IPv6 the port is
    /// bound on all addresses.
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

    /// Joins a group on all interfaces (RFC 3678); returns 0 if one succeeded, or an `errno` code.
    ///
    /// The default interface would be that of the route to the group, and a boat without Internet
    /// access may have no such route.
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
