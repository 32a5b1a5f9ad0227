/// Limits what the clients of a listener cost together: connections and requests of each address,
/// and bytes held for all.
struct ConnectionLimiter: Sendable {
    private let limits: Limits
    private var connections: [PeerNetwork: Int] = [:]
    private var requests: TokenBuckets
    /// The bytes of heads, bodies and replies that are held now.
    private(set) var heldByteCount = 0
    /// Of these, what each address makes us hold.
    private var shares: [PeerNetwork: Int] = [:]

    init(limits: Limits) {
        self.limits = limits
        requests = TokenBuckets(
            perSecond: limits.requestsPerAddressSecond,
            burst: limits.requestsPerAddressBurst
        )
    }

    /// Whether one more connection of an address may come now.
    mutating func hasRoom(for network: PeerNetwork, at now: Duration) -> Bool {
        connections[network, default: 0] < limits.connectionsPerAddress
            && requests.takeToken(of: network, at: now) == nil
    }

    mutating func addConnection(of network: PeerNetwork) {
        connections[network, default: 0] += 1
    }

    mutating func removeConnection(of network: PeerNetwork) {
        let count = connections[network, default: 0] - 1
        connections[network] = count > 0 ? count : nil
    }

    /// Notes a request of an address; the seconds to wait where it is one too many.
    mutating func noteRequest(of network: PeerNetwork, at now: Duration) -> Int? {
        requests.takeToken(of: network, at: now)
    }

    /// Notes that a connection of `network` holds `count` bytes where it held `former`.
    mutating func hold(_ count: Int, insteadOf former: Int, by network: PeerNetwork?) {
        heldByteCount += count - former
        guard let network, count != former else { return }
        let share = shares[network, default: 0] + count - former
        shares[network] = share > 0 ? share : nil
    }

    /// Whether a connection that holds `count` bytes may keep them.
    ///
    /// The last quarter is for small bodies, so that large ones never shut out what everyone
    /// sends; and no address has more than a quarter of the whole.
    func mayHold(_ count: Int, by network: PeerNetwork?) -> Bool {
        let quarter = limits.heldBytes / 4
        if let network, shares[network, default: 0] > quarter { return false }
        return heldByteCount <= (count <= limits.smallBodyBytes ? 4 * quarter : 3 * quarter)
    }
}
