/// Limits a listener's connections and requests per address, and the bytes held for all clients.
struct ConnectionLimiter: Sendable {
    private let limits: Limits
    private var connections: [PeerNetwork: Int] = [:]
    private var requests: TokenBuckets
    /// The bytes of heads, bodies and replies held now.
    private(set) var heldByteCount = 0
    /// The part of `heldByteCount` of each address.
    private var shares: [PeerNetwork: Int] = [:]

    init(limits: Limits) {
        self.limits = limits
        requests = TokenBuckets(
            perSecond: Double(limits.requestsPerAddressSecond),
            burst: limits.requestsPerAddressBurst
        )
    }

    /// Whether an address may open another connection now; takes one of its request tokens.
    mutating func hasRoom(for network: PeerNetwork, at now: Duration) -> Bool {
        connections[network, default: 0] < limits.connectionsPerAddress
            && requests.takeToken(of: network, at: now) == nil
    }

    mutating func addConnection(of network: PeerNetwork) { connections[network, default: 0] += 1 }

    mutating func removeConnection(of network: PeerNetwork) {
        let count = connections[network, default: 0] - 1
        connections[network] = count > 0 ? count : nil
    }

    /// Counts a request of an address; returns the seconds to wait if the rate limit is exceeded.
    mutating func noteRequest(of network: PeerNetwork, at now: Duration) -> Int? {
        requests.takeToken(of: network, at: now)
    }

    /// Replaces the `former` byte count of a connection of `network` with `count`.
    mutating func hold(_ count: Int, insteadOf former: Int, by network: PeerNetwork?) {
        heldByteCount += count - former
        guard let network, count != former else { return }
        let share = shares[network, default: 0] + count - former
        shares[network] = share > 0 ? share : nil
    }

    /// Whether a connection that holds `count` bytes may keep them.
    ///
    /// The last quarter is reserved for small bodies, so that large ones never block ordinary
    /// requests. No address may hold more than a quarter of the whole.
    func mayHold(_ count: Int, by network: PeerNetwork?) -> Bool {
        let quarter = limits.heldBytes / 4
        if let network, shares[network, default: 0] > quarter { return false }
        return heldByteCount <= (count <= limits.smallBodyBytes ? 4 * quarter : 3 * quarter)
    }
}
