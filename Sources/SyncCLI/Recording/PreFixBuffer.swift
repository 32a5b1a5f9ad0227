import SyncCore

/// Buffers samples that arrive before the first fix.
///
/// They carry the machine's time, and the clock of a boat's computer may be wrong. The first fix
/// tells its offset. Samples wait for it for at most a minute.
struct PreFixBuffer: Sendable {
    private static let milliseconds: Int64 = 60_000
    private static let sampleLimit = 4096
    /// Clock offsets up to this are not corrected.
    private static let toleranceMilliseconds: Int64 = 10_000

    private var held: [Sample] = []
    private var isOver = false
    /// The machine's time when the first sample was buffered.
    private var begin: UnixTime?

    /// Buffers samples that arrived at `now` and returns those that need not wait any longer.
    mutating func take(_ samples: [Sample], at now: UnixTime) -> [Sample] {
        guard !isOver else { return samples }
        held += samples
        if let fix = held.first(where: { $0.isPoint && $0.time != nil })?.time {
            return end(whenFixOf: fix, cameAt: now)
        }
        if begin == nil, !held.isEmpty { begin = now }
        let age = begin.map { now.milliseconds - $0.milliseconds } ?? 0
        let waits = held.count < Self.sampleLimit && 0..<Self.milliseconds ~= age
        return waits ? [] : end()
    }

    /// Ends buffering and returns the buffered samples.
    mutating func end() -> [Sample] {
        isOver = true
        defer { held = [] }
        return held
    }

    private mutating func end(whenFixOf fix: UnixTime, cameAt now: UnixTime) -> [Sample] {
        guard let off = now.milliseconds(since: fix), off.magnitude > Self.toleranceMilliseconds
        else { return end() }
        return end().map { sample in
            guard let time = sample.time?.milliseconds, !sample.isPoint,
                // A time nearer to the machine's clock than to the fix came from that clock.
                (now.milliseconds &- time).magnitude < (fix.milliseconds &- time).magnitude
            else { return sample }
            var moved = sample
            moved.time = UnixTime(milliseconds: time &- off)
            return moved
        }
    }
}
