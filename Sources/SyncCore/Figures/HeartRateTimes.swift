/// The time spent in each heart-rate zone.
///
/// A reading holds until the next one of its segment, but for 30 seconds at most, so gaps do not
/// count. Impossible rates are ignored.
package struct HeartRateTimes: Hashable, Sendable {
    private static let longestMilliseconds: Int64 = 30_000
    private static let rates: ClosedRange<Int64> = 20...300

    /// The lowest rates of the zones in beats a minute, ascending.
    package let bottoms: [Int64]
    /// Seconds below the first zone, then in each zone; all 0 if no rate is known.
    package private(set) var seconds: [Double]
    private var last: Reading?

    private struct Reading: Hashable {
        let time: Int64
        let segment: Int64
        let zone: Int
    }

    /// Creates empty times; without bottoms there are no zones.
    init(bottoms: [Int64]) {
        self.bottoms = bottoms
        seconds = Array(repeating: 0, count: bottoms.count + 1)
    }

    /// Returns the zone of a rate: 0 below the first zone (warm-up), then from 1.
    package static func zone(of rate: Int64, bottoms: [Int64]) -> Int {
        bottoms.count { $0 <= rate }
    }

    mutating func add(_ sample: Sample) {
        guard !bottoms.isEmpty, let rate = sample[count: .heartRate], Self.rates.contains(rate),
            let time = sample.plausibleTime?.milliseconds
        else { return }
        if let last, last.segment == sample.segment, last.time <= time {
            let held = min(time - last.time, Self.longestMilliseconds)
            seconds[last.zone] += Double(held) / 1000
        }
        last = Reading(
            time: time,
            segment: sample.segment,
            zone: Self.zone(of: rate, bottoms: bottoms)
        )
    }

    package var totalSeconds: Double { seconds.reduce(0, +) }
}
