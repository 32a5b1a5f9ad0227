import SyncCore

/// What instruments send before the receiver knows where and when it is.
///
/// Such samples have the machine's time, which on a boat may be any. So they wait for the first fix,
/// which tells how far that was off, though not longer than a minute.
struct PreFixBuffer: Sendable {
    private static let milliseconds: Int64 = 60_000
    private static let sampleLimit = 4096
    /// A clock that is off by less is left as it is.
    private static let toleranceMilliseconds: Int64 = 10_000

    private var held: [Sample] = []
    private var isOver = false
    /// The machine's time at the first of them.
    private var begin: UnixTime?

    /// Takes what came at a time of the machine's; returns what need not wait any more.
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

    /// What is still waiting, at the end.
    mutating func end() -> [Sample] {
        isOver = true
        defer { held = [] }
        return held
    }

    private mutating func end(whenFixOf fix: UnixTime, cameAt now: UnixTime) -> [Sample] {
        let (off, isTooLong) = now.milliseconds.subtractingReportingOverflow(fix.milliseconds)
        guard !isTooLong, off.magnitude > UInt64(Self.toleranceMilliseconds) else { return end() }
        return end().map { sample in
            guard let time = sample.time?.milliseconds, !sample.isPoint,
                // Nearer to the machine's time than to the receiver's: it came without one.
                (now.milliseconds &- time).magnitude < (fix.milliseconds &- time).magnitude
            else { return sample }
            var moved = sample
            moved.time = UnixTime(milliseconds: time &- off)
            return moved
        }
    }
}
