internal import CEvent

/// Where a connection comes from: an IPv6 address, or an IPv4 one in its place (RFC 4291 §2.5.5.2).
struct PeerAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Sixteen bytes in network order.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "an address has 16 bytes")
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else, names included.
    init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe cevent_parse_address(text, &bytes) == 0 else { return nil }
        self.init(bytes: bytes)
    }

    /// Whether it is of this machine.
    var isLoopback: Bool { isMapped ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }

    /// Who is counted as one: an IPv4 address, or the 64 bits that an IPv6 site is given.
    var network: PeerNetwork {
        PeerNetwork(prefix: high, host: isMapped ? low : 0)
    }

    private var isMapped: Bool { high == 0 && low >> 32 == 0xffff }
}

/// The addresses that are most likely one client.
struct PeerNetwork: Hashable, Sendable {
    fileprivate let prefix: UInt64
    fileprivate let host: UInt64
}
