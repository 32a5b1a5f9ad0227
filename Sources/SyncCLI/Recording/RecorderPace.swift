/// Schedules when a recorder flushes its reader and stores samples.
///
/// Every fix is durable within a second, with few commits. Times are uptimes in milliseconds.
struct RecorderPace: Sendable {
    /// The silence after which the sentences of an epoch count as complete.
    static let pauseMilliseconds: Int64 = 500
    /// The maximum time that a sentence stays in the reader, even if the feed never pauses.
    static let holdMilliseconds: Int64 = 600
    /// The maximum time that a sample waits to be stored.
    static let batchMilliseconds: Int64 = 250
    /// The number of samples that triggers a store at once.
    static let batchLimit = 4096

    /// Whether sentences arrive in real time; the read times of a file mean nothing.
    let isLive: Bool

    /// The time of the last bytes, or nil if the reader was flushed since.
    private var lastRead: Int64?
    /// The arrival of the oldest bytes that the reader may hold.
    private var heldSince: Int64?
    /// The time of the oldest sample that is not stored.
    private var pendingSince: Int64?
    private var pendingCount = 0

    init(isLive: Bool) { self.isLive = isLive }

    /// Records that bytes arrived and completed `sampleCount` samples.
    mutating func read(sampleCount: Int, at now: Int64) {
        lastRead = now
        if sampleCount > 0 || heldSince == nil { heldSince = now }
        add(sampleCount, at: now)
    }

    /// Records that the reader was flushed.
    mutating func flushed(sampleCount: Int, at now: Int64) {
        (lastRead, heldSince) = (nil, nil)
        add(sampleCount, at: now)
    }

    /// Records that all samples are stored.
    mutating func stored() { (pendingSince, pendingCount) = (nil, 0) }

    /// Records that storing failed, which delays the next attempt.
    mutating func failed(at now: Int64) {
        pendingSince = now + Self.pauseMilliseconds
        pendingCount = 0
    }

    private mutating func add(_ sampleCount: Int, at now: Int64) {
        guard sampleCount > 0 else { return }
        pendingCount += sampleCount
        pendingSince = pendingSince ?? now
    }

    func shouldFlush(at now: Int64) -> Bool { flushTime.map { $0 <= now } ?? false }

    func shouldStore(at now: Int64) -> Bool {
        pendingCount >= Self.batchLimit || (storeTime.map { $0 <= now } ?? false)
    }

    /// Returns how long to wait for the feed, in milliseconds.
    func wait(at now: Int64) -> Int64 {
        let next = [flushTime, storeTime].compactMap { $0 }.min()
        return max(0, min(next.map { $0 - now } ?? .max, Self.pauseMilliseconds))
    }

    private var flushTime: Int64? {
        guard isLive, let lastRead, let heldSince else { return nil }
        return min(lastRead + Self.pauseMilliseconds, heldSince + Self.holdMilliseconds)
    }

    private var storeTime: Int64? { pendingSince.map { $0 + Self.batchMilliseconds } }
}
