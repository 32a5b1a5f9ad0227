/// The limits that the server sets for clients; ``advertised`` in `.well-known/wake`.
struct Limits: Hashable, Sendable {
    /// The request line and all fields together, with room for a signature and a proxy's fields.
    var headBytes = 16 << 10

    /// The time from the first byte of a head to its last, and from a connection to its first head.
    ///
    /// Enough for a TLS handshake over a slow radio link and one or two round trips.
    var headSeconds = 10.0

    /// The largest body that is read before the request's signature is checked.
    ///
    /// A larger body may not use the last quarter of ``heldBytes``. Unsigned requests have no use
    /// for larger bodies.
    var smallBodyBytes = 4 << 10

    /// The limit of all heads, bodies and replies held at a time; one address may use a quarter.
    ///
    /// Above it, requests are refused with a time to retry.
    var heldBytes = 64 << 20

    /// Requests that are handled at the same time.
    ///
    /// More wait in a queue, so that their replies do not use memory yet.
    var handlers = 32

    /// The silence after which a connection is closed, between requests or within a body.
    var idleSeconds = 60.0

    /// The time to send a whole body, and to read a whole reply: 8 MiB at 70 kB/s.
    var transferSeconds = 120.0

    /// The time without progress after which a client that reads a reply is disconnected.
    var stallSeconds = 10.0

    /// The time that a refused client has to read the reply.
    var lingerSeconds = 2.0

    /// The bytes that are read and discarded from such a client: twice the largest request.
    var lingerBytes = 16 << 20

    /// All connections; above that, those that are idle longest are closed.
    var connections = 10_000

    /// The idle time after which a connection may be closed to make room for another.
    var graceSeconds = 1.0

    /// Connections of one IPv4 address or IPv6 /64; the proxy and this machine are exempt.
    var connectionsPerAddress = 256

    /// Requests and connections per second from one address, on average.
    var requestsPerAddressSecond = 200

    /// Requests and connections that one address may make at once.
    var requestsPerAddressBurst = 2000

    /// Signed requests per second of one device, on average.
    var requestsPerDeviceSecond = 200

    /// Signed requests that one device may make at once.
    ///
    /// A newly enrolled device requests every chunk.
    var requestsPerDeviceBurst = 2000

    /// The time for requests in progress to finish at shutdown.
    var drainSeconds = 10.0

    /// The limits by name; names end in the unit.
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

    /// Returns the limits with at most as many connections as `descriptors` minus `others`.
    func fitting(descriptors: Int, others: Int) -> Limits {
        var limits = self
        limits.connections = min(connections, max(1, descriptors - others))
        return limits
    }
}
