/// The distribution of a track's speed over time.
///
/// The speed at a fix is averaged over at least ten seconds. It is therefore unknown in the first
/// ten seconds of a segment, and one inaccurate fix makes no record. Only movement counts, weighted
/// by time, so that percentiles do not depend on the recording interval.
package struct Speeds: Hashable, Sendable {
    private static let leastSeconds = 10.0
    /// Centimetres a second, and the milliseconds spent at that speed.
    private var milliseconds: [Int64: Int64] = [:]

    /// Adds a leg that was movement.
    mutating func add(_ leg: Leg) {
        guard let speed = leg.speed, speed.seconds >= Self.leastSeconds, let seconds = leg.seconds,
            let centimetres = Int64(exactly: (speed.metresPerSecond * 100).rounded())
        else { return }
        let (sum, isTooMuch) = milliseconds[centimetres, default: 0]
            .addingReportingOverflow(Int64(seconds * 1000))
        if !isTooMuch { milliseconds[centimetres] = sum }
    }

    /// The greatest speed in metres a second, or nil if none is known.
    package var greatest: Double? { milliseconds.keys.max().map { Double($0) / 100 } }

    /// Returns the speed in metres a second at each percentile, or an empty array if none is known.
    ///
    /// A percentile is the lowest speed that was not exceeded for that share of the time. Shares
    /// are fractions of 1, ascending.
    package func percentiles(_ shares: [Double]) -> [Double] {
        let ascending = milliseconds.sorted { $0.key < $1.key }
        let total = ascending.reduce(0.0) { $0 + Double($1.value) }
        guard total > 0 else { return [] }
        var speeds: [Double] = []
        var sum = 0.0
        for (centimetres, time) in ascending {
            sum += Double(time)
            while speeds.count < shares.count, sum >= shares[speeds.count] * total {
                speeds.append(Double(centimetres) / 100)
            }
        }
        return speeds
    }
}
