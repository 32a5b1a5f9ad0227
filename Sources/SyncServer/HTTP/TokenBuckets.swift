/// Bounds how often each of many clients may come: a client has a bucket of tokens that fills
/// steadily, and each request takes one.
///
/// The buckets are as many as were asked for, whoever comes: two clients of the same hash share
/// one. Hashes are seeded for each process, so nobody can choose whose bucket to empty.
struct TokenBuckets: Sendable {
    private struct Bucket: Sendable {
        var tokens: Double
        var filled: Duration
    }

    /// Tokens that come back in a second.
    let perSecond: Double
    /// Tokens of a full bucket.
    let burst: Double
    private var buckets: [Bucket]

    init(perSecond: Int, burst: Int, count: Int = 4096) {
        self.perSecond = Double(perSecond)
        self.burst = Double(burst)
        buckets = Array(repeating: Bucket(tokens: Double(burst), filled: .zero), count: count)
    }

    /// Takes a token of a client's; else tells in how many whole seconds there is one.
    ///
    /// `now` is any clock that only goes forward.
    mutating func takeToken(of client: some Hashable, at now: Duration) -> Int? {
        let index = Int(UInt(bitPattern: client.hashValue) % UInt(buckets.count))
        var bucket = buckets[index]
        let elapsed = max(0, (now - bucket.filled).seconds)
        bucket.tokens = min(burst, bucket.tokens + elapsed * perSecond)
        bucket.filled = max(now, bucket.filled)
        defer { buckets[index] = bucket }
        guard bucket.tokens >= 1 else {
            return max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up)))
        }
        bucket.tokens -= 1
        return nil
    }
}
