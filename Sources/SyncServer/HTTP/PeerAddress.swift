internal import CEvent

/// A client's IPv6 address, or an IPv4-mapped one (RFC 4291 §2.5.5.2).
struct PeerAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Creates an address from 16 bytes in network order.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "an address has 16 bytes")
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parses `192.0.2.1` or `2001:db8::1`; returns nil for anything else, host names included.
    init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe cevent_parse_address(text, &bytes) == 0 else { return nil }
        self.init(bytes: bytes)
    }

    var isLoopback: Bool { isMapped ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }

    /// The unit of rate limits: an IPv4 address, or the /64 of an IPv6 site.
    var network: PeerNetwork { PeerNetwork(prefix: high, host: isMapped ? low : 0) }

    private var isMapped: Bool { high == 0 && low >> 32 == 0xffff }
}

/// The addresses that most likely belong to one client.
struct PeerNetwork: Hashable, Sendable {
    fileprivate let prefix: UInt64
    fileprivate let host: UInt64
}
