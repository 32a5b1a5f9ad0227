/// How much a track tells: how often each channel was read, how many points, and over which time.
package struct Richness: Hashable, Sendable {
    private var counts: [Channel: Int] = [:]
    private var pointCount = 0
    private var times: ClosedRange<Int64>?

    /// Two clocks of whole seconds and another sampling may put an end so far off.
    private static let endMilliseconds: Int64 = 10_000

    /// Nothing yet.
    package init() {}

    /// How much samples tell.
    package init(of samples: some Sequence<Sample>) {
        for sample in samples { add(sample) }
    }

    /// Goes on to a sample.
    package mutating func add(_ sample: Sample) {
        if sample.isPoint { pointCount += 1 }
        if let time = sample.time?.milliseconds {
            let known = times ?? time...time
            times = min(known.lowerBound, time)...max(known.upperBound, time)
        }
        // The number of a part is no reading.
        for reading in sample.readings where reading.channel != .segment {
            counts[reading.channel, default: 0] += 1
        }
    }

    /// Whether nothing is lost with the other, whose clock is `shift` later: all its readings are
    /// here, each channel's as often, and from its beginning to its end.
    package func covers(_ other: Richness, shiftMilliseconds shift: Int64 = 0) -> Bool {
        pointCount >= other.pointCount
            && other.counts.allSatisfy { counts[$0.key] ?? 0 >= $0.value }
            && lasts(asLongAs: other, shift)
    }

    private func lasts(asLongAs other: Richness, _ shift: Int64) -> Bool {
        guard let theirs = other.times else { return true }
        guard let own = times else { return false }
        let slack = Self.endMilliseconds
        return own.lowerBound <= theirs.lowerBound - shift + slack
            && own.upperBound >= theirs.upperBound - shift - slack
    }
}
