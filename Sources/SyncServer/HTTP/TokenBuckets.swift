/// Token buckets that limit the rate of requests of many clients.
///
/// Each client has a bucket that refills steadily, and each request takes one token. The number of
/// buckets is fixed: clients with the same hash share one. Hashes are seeded per process, so that
/// no client can choose whose bucket to empty.
struct TokenBuckets: Sendable {
    private struct Bucket: Sendable {
        let tokens: Double
        let filled: Duration
    }

    /// Tokens added per second.
    let perSecond: Double
    /// The capacity of a bucket.
    let burst: Double
    private var buckets: [Bucket]

    init(perSecond: Double, burst: Int, count: Int = 4096) {
        self.perSecond = perSecond
        self.burst = Double(burst)
        buckets = Array(repeating: Bucket(tokens: Double(burst), filled: .zero), count: count)
    }

    /// Takes a token of a client, or returns the whole seconds until there is one.
    ///
    /// `now` is the time of a monotonic clock.
    mutating func takeToken(of client: some Hashable, at now: Duration) -> Int? {
        let index = Int(UInt(bitPattern: client.hashValue) % UInt(buckets.count))
        let bucket = buckets[index]
        let elapsed = max(0, (now - bucket.filled).seconds)
        let tokens = min(burst, bucket.tokens + elapsed * perSecond)
        guard tokens >= 1 else { return max(1, Int(((1 - tokens) / perSecond).rounded(.up))) }
        buckets[index] = Bucket(tokens: tokens - 1, filled: max(now, bucket.filled))
        return nil
    }
}
