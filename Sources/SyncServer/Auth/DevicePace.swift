internal import SyncCore

/// How often each device may come.
struct DevicePace: Sendable {
    private let buckets: Locked<TokenBuckets>
    private let uptime: @Sendable () -> Duration

    /// `uptime` is any clock that only goes forward.
    init(_ limits: Limits, uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
        buckets = Locked(
            TokenBuckets(
                perSecond: limits.requestsPerDeviceSecond,
                burst: limits.requestsPerDeviceBurst
            )
        )
    }

    /// Counts a request of a device; the seconds to wait where it is one too many.
    func secondsTooEarly(_ device: Identifier) -> Int? {
        let now = uptime()
        return buckets.withLock { $0.takeToken(of: device, at: now) }
    }
}
