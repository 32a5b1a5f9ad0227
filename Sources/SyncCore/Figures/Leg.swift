/// The step from one believed fix to the next.
package struct Leg: Sendable {
    /// The time at the end in Unix milliseconds, or nil if unknown.
    let time: Int64?
    /// Metres on the ellipsoid.
    ///
    /// 0 to the first fix of a segment, because the recorder was paused, and of another run.
    package let metres: Double
    /// The duration, or nil for the first fix and if a time is missing or goes backwards.
    let seconds: Double?
    /// Whether a segment begins at the end of the leg.
    let isPause: Bool
    /// The recent speed, or nil if it is unknown.
    let speed: Speed?

    /// A speed averaged over some seconds, so that one inaccurate fix hardly changes it.
    struct Speed: Sendable {
        let metresPerSecond: Double
        /// The duration of the average.
        let seconds: Double
    }
}

/// Turns believed samples into legs.
package struct LegReader: Sendable {
    private var last: FixFilter.Fix?
    private var recent = RecentDistance()

    package init() {}

    /// Adds a sample and returns the leg to it, or nil if it is not a fix.
    package mutating func next(_ sample: Sample) -> Leg? {
        guard let place = sample.coordinate else { return nil }
        let time = sample.plausibleTime?.milliseconds
        let fix = FixFilter.Fix(place: place, time: time, segment: sample.segment)
        defer { last = fix }
        let isPause = last?.segment != fix.segment
        let metres = fix.metres(from: last)
        let seconds = Self.seconds(from: last?.time, to: fix.time)
        if isPause || seconds == nil { recent = RecentDistance() }
        let speed = fix.time.flatMap { recent.add(metres, at: $0) }
        return Leg(time: fix.time, metres: metres, seconds: seconds, isPause: isPause, speed: speed)
    }

    private static func seconds(from start: Int64?, to end: Int64?) -> Double? {
        guard let start, let end, start <= end else { return nil }
        return Double(end - start) / 1000
    }
}

/// The last ten seconds of distance within a segment, or the last leg if that is longer.
private struct RecentDistance: Sendable {
    private static let leastMilliseconds: Int64 = 10_000
    /// Times in Unix milliseconds, and the metres up to each fix.
    private var fixes: [(time: Int64, metres: Double)] = []
    private var start = 0

    /// Adds a fix, which must not be earlier than the last one.
    mutating func add(_ metres: Double, at time: Int64) -> Leg.Speed? {
        let end = (fixes.last?.metres ?? 0) + metres
        fixes.append((time, end))
        while start + 1 < fixes.count, fixes[start + 1].time <= time - Self.leastMilliseconds {
            start += 1
        }
        let seconds = Double(time - fixes[start].time) / 1000
        let way = end - fixes[start].metres
        if start >= 512 {
            fixes.removeFirst(start)
            start = 0
        }
        return seconds > 0 ? Leg.Speed(metresPerSecond: way / seconds, seconds: seconds) : nil
    }
}
