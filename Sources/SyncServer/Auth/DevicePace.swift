internal import SyncCore

/// The rate limits of devices' requests and of the rebuilds that they ask for.
struct DevicePace: Sendable {
    private let requests: Locked<TokenBuckets>
    private let rebuilds = Locked(TokenBuckets(perSecond: 1 / rebuildPauseSeconds, burst: 1))
    private let uptime: @Sendable () -> Duration

    /// The time between two rebuilds of a view; spaces that share a bucket share it.
    ///
    /// A device asks for a rebuild when fingerprints differ. Repeating it soon shows nothing new,
    /// and a rebuild reads the whole log.
    private static let rebuildPauseSeconds = 600.0

    /// Creates the rate limits; `uptime` is a monotonic clock.
    init(_ limits: Limits, uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
        requests = Locked(
            TokenBuckets(
                perSecond: Double(limits.requestsPerDeviceSecond),
                burst: limits.requestsPerDeviceBurst
            )
        )
    }

    /// Counts a request of a device; returns the seconds to wait if the rate limit is exceeded.
    func secondsTooEarly(_ device: Identifier) -> Int? {
        let now = uptime()
        return requests.withLock { $0.takeToken(of: device, at: now) }
    }

    /// Counts a rebuild of a space's view; returns the seconds to wait if the last one was recent.
    func secondsTooEarly(toRebuild space: Identifier) -> Int? {
        let now = uptime()
        return rebuilds.withLock { $0.takeToken(of: space, at: now) }
    }
}
