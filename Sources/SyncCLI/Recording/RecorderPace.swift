/// When a recorder flushes its reader and stores what it has: so that no fix is older than a second
/// when it is durable, and few commits are made.
///
/// A value; times are the machine's uptime in milliseconds.
struct RecorderPace: Sendable {
    /// Silence after which the sentences of an epoch are taken to be complete.
    static let pauseMilliseconds: Int64 = 500
    /// No sentence waits in the reader for longer, also when the feed never pauses.
    static let holdMilliseconds: Int64 = 600
    /// No sample waits to be stored for longer.
    static let batchMilliseconds: Int64 = 250
    /// So many samples are stored at once.
    static let batchLimit = 4096

    /// Whether sentences come as they are made; the time of a file's reading means nothing.
    let isLive: Bool

    /// When the last bytes came, while the reader may hold some of them.
    private var lastRead: Int64?
    /// When the oldest bytes came that the reader may hold.
    private var heldSince: Int64?
    /// When the oldest sample was made that is not stored.
    private var pendingSince: Int64?
    private var pendingCount = 0

    init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Bytes came, and made so many samples complete.
    mutating func read(sampleCount: Int, at now: Int64) {
        lastRead = now
        if sampleCount > 0 || heldSince == nil { heldSince = now }
        add(sampleCount, at: now)
    }

    /// The reader was flushed.
    mutating func flushed(sampleCount: Int, at now: Int64) {
        (lastRead, heldSince) = (nil, nil)
        add(sampleCount, at: now)
    }

    /// All samples are stored.
    mutating func stored() {
        (pendingSince, pendingCount) = (nil, 0)
    }

    /// The samples could not be stored; it is tried again after a while.
    mutating func failed(at now: Int64) {
        pendingSince = now + Self.pauseMilliseconds
        pendingCount = 0
    }

    private mutating func add(_ sampleCount: Int, at now: Int64) {
        guard sampleCount > 0 else { return }
        pendingCount += sampleCount
        pendingSince = pendingSince ?? now
    }

    /// Whether the reader should be flushed now.
    func shouldFlush(at now: Int64) -> Bool { flushTime.map { $0 <= now } ?? false }

    /// Whether the samples should be stored now.
    func shouldStore(at now: Int64) -> Bool {
        pendingCount >= Self.batchLimit || (storeTime.map { $0 <= now } ?? false)
    }

    /// How long the feed may be waited for, in milliseconds.
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
