/// The way from one believed fix to the next.
package struct Leg: Sendable {
    /// When it ends, in Unix milliseconds; nil where no time is known.
    let time: Int64?
    /// Metres on the ellipsoid; 0 to the first fix of a segment, for a pause is no way, and of another
    /// run.
    package let metres: Double
    /// How long it took; nil for the first fix, and where a time is not known or goes back.
    let seconds: Double?
    /// Whether a segment begins at its end.
    let isPause: Bool
    /// How fast it went lately; nil where there is no telling.
    let speed: Speed?

    /// A speed over some seconds, which one fix that is some metres off hardly changes.
    struct Speed: Sendable {
        let metresPerSecond: Double
        /// Over how long.
        let seconds: Double
    }
}

/// Makes legs of samples that are believed.
package struct LegReader: Sendable {
    private var last: (place: Coordinate, time: Int64?, segment: Int64)?
    private var recent = RecentDistance()

    /// Before the first fix.
    package init() {}

    /// Goes on to a sample; nil where it is no fix.
    package mutating func next(_ sample: Sample) -> Leg? {
        guard let place = sample.coordinate else { return nil }
        let fix = (place: place, time: sample.plausibleMilliseconds, segment: sample.segment)
        defer { last = fix }
        let isPause = last?.segment != fix.segment
        let way = isPause ? 0 : last?.place.metres(to: place) ?? 0
        let metres = FixSteps.isWay(way, from: last?.time, to: fix.time) ? way : 0
        let seconds = Self.seconds(from: last?.time, to: fix.time)
        if isPause || seconds == nil { recent = RecentDistance() }
        let speed = fix.time.flatMap { recent.add(metres, at: $0) }
        return Leg(
            time: fix.time,
            metres: metres,
            seconds: seconds,
            isPause: isPause,
            speed: speed
        )
    }

    private static func seconds(from start: Int64?, to end: Int64?) -> Double? {
        guard let start, let end, start <= end else { return nil }
        return Double(end - start) / 1000
    }
}

/// The last ten seconds of the way within a segment, or the last leg where that is longer.
private struct RecentDistance: Sendable {
    private static let leastMilliseconds: Int64 = 10_000
    /// Fixes by their time and the metres up to them.
    private var fixes: [(time: Int64, metres: Double)] = []
    private var start = 0

    /// Goes on to a fix that is not before the last one.
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

extension Sample {
    /// The time in Unix milliseconds; nil where no recorder's clock can have shown it, so that
    /// differences of times never overflow.
    var plausibleMilliseconds: Int64? {
        time.map(\.milliseconds).flatMap { UnixTime.plausible.contains($0) ? $0 : nil }
    }
}
