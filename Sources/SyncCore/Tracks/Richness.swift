/// The amount of data in a track: readings by channel, points and time span.
package struct Richness: Hashable, Sendable {
    private var counts: [Channel: Int] = [:]
    private var pointCount = 0
    /// The range of plausible times, whose sums with a shift never overflow.
    private var times: ClosedRange<UnixTime>?

    /// Clocks of whole seconds and different sample rates may move an end by this much.
    private static let endMilliseconds: Int64 = 10_000

    package init() {}

    package init(of samples: some Sequence<Sample>) {
        for sample in samples { add(sample) }
    }

    package mutating func add(_ sample: Sample) {
        if sample.isPoint { pointCount += 1 }
        times = times.joined(sample.plausibleTime)
        // A segment number is not a reading.
        for reading in sample.readings where reading.channel != .segment {
            counts[reading.channel, default: 0] += 1
        }
    }

    /// Whether this track makes the other redundant.
    ///
    /// It has at least as many points and as many readings of each channel, and spans the other's
    /// time. The other's clock is ahead by `shift`.
    package func covers(_ other: Richness, shiftMilliseconds shift: Int64 = 0) -> Bool {
        pointCount >= other.pointCount
            && other.counts.allSatisfy { counts[$0.key] ?? 0 >= $0.value }
            && lasts(asLongAs: other, shift)
    }

    private func lasts(asLongAs other: Richness, _ shift: Int64) -> Bool {
        guard let theirs = other.times else { return true }
        guard let own = times else { return false }
        let slack = Self.endMilliseconds
        let start = theirs.lowerBound.milliseconds - shift + slack
        let finish = theirs.upperBound.milliseconds - shift - slack
        return own.lowerBound.milliseconds <= start && own.upperBound.milliseconds >= finish
    }
}
