internal import SyncCore

/// The rate limit of each device.
struct DevicePace: Sendable {
    private let buckets: Locked<TokenBuckets>
    private let uptime: @Sendable () -> Duration

    /// Creates the rate limits; `uptime` is a monotonic clock.
    init(_ limits: Limits, uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
        buckets = Locked(
            TokenBuckets(
                perSecond: limits.requestsPerDeviceSecond,
                burst: limits.requestsPerDeviceBurst
            )
        )
    }

    /// Counts a request of a device; returns the seconds to wait if the rate limit is exceeded.
    func secondsTooEarly(_ device: Identifier) -> Int? {
        let now = uptime()
        return buckets.withLock { $0.takeToken(of: device, at: now) }
    }
}
