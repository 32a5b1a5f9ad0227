/// What clients may cost the server; ``advertised`` in `.well-known/wake`.
struct Limits: Hashable, Sendable {
    /// The request line and the fields together; room for a signature and what proxies add.
    var headBytes = 16 << 10

    /// The time from the first byte of a head to its last, and from a connection to its first
    /// head: a TLS handshake over a slow radio link and a round trip or two.
    var headSeconds = 10.0

    /// Above this a request's signature is checked before its body is taken, and its body may
    /// not have the last quarter of ``heldBytes``: strangers have nothing to say that is longer.
    var smallBodyBytes = 4 << 10

    /// What is held at one time of all heads, bodies and replies, of which one address may have a
    /// quarter; when it is more, requests are told to come later.
    var heldBytes = 64 << 20

    /// Requests that are answered at one time; more wait, so that their replies are not made
    /// before there is room for them.
    var handlers = 32

    /// The silence after which a connection is closed, between requests and within a body.
    var idleSeconds = 60.0

    /// The time for a whole request, and for a whole reply to be read: 8 MiB at 70 kB/s.
    var transferSeconds = 120.0

    /// The time in which a client takes some of a reply, else it is closed.
    var stallSeconds = 10.0

    /// The time that a client which was refused is given to read why.
    var lingerSeconds = 2.0

    /// What is read and thrown away of such a client: twice the largest request.
    var lingerBytes = 16 << 20

    /// Connections in all; when one more comes, the one that is idle longest gives way.
    var connections = 10_000

    /// The time that a connection has to begin before it may give way.
    var graceSeconds = 1.0

    /// Connections of one address, or of one IPv6 site; a proxy and this machine have no limit.
    var connectionsPerAddress = 256

    /// Requests and connections in a second from one address, in the long run.
    var requestsPerAddressSecond = 200

    /// Requests and connections that may come at once from an address that was quiet.
    var requestsPerAddressBurst = 2000

    /// Signed requests of one device in a second, in the long run.
    var requestsPerDeviceSecond = 200

    /// Signed requests that may come at once from a device that was quiet: a device that was just
    /// enrolled asks for each chunk.
    var requestsPerDeviceBurst = 2000

    /// The time that requests in flight are given at shutdown.
    var drainSeconds = 10.0

    /// Names with their unit, and values.
    var advertised: [String: Int] {
        [
            "head_bytes": headBytes,
            "head_seconds": Int(headSeconds),
            "small_body_bytes": smallBodyBytes,
            "held_bytes": heldBytes,
            "handlers": handlers,
            "idle_seconds": Int(idleSeconds),
            "transfer_seconds": Int(transferSeconds),
            "stall_seconds": Int(stallSeconds),
            "linger_seconds": Int(lingerSeconds),
            "linger_bytes": lingerBytes,
            "connections": connections,
            "grace_seconds": Int(graceSeconds),
            "connections_per_address": connectionsPerAddress,
            "requests_per_address_second": requestsPerAddressSecond,
            "requests_per_address_burst": requestsPerAddressBurst,
            "requests_per_device_second": requestsPerDeviceSecond,
            "requests_per_device_burst": requestsPerDeviceBurst,
            "drain_seconds": Int(drainSeconds),
        ]
    }

    /// The same with no more connections than there are descriptors for them besides `others`.
    func fitting(descriptors: Int, others: Int) -> Limits {
        var limits = self
        limits.connections = min(connections, max(1, descriptors - others))
        return limits
    }
}
