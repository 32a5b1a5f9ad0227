/// How long a track went how fast.
///
/// The speed at a fix is that over the last ten seconds at least, so it is not known in the first ten
/// of a segment, and one fix that is off makes no record. Only movement counts, and by its time: a
/// track that was recorded more densely has the same percentiles.
package struct Speeds: Hashable, Sendable {
    private static let leastSeconds = 10.0
    /// Centimetres a second to milliseconds.
    private var milliseconds: [Int64: Int64] = [:]

    /// Goes on along a leg that was movement.
    mutating func add(_ leg: Leg) {
        guard let speed = leg.speed, speed.seconds >= Self.leastSeconds, let seconds = leg.seconds,
            let centimetres = Int64(exactly: (speed.metresPerSecond * 100).rounded())
        else { return }
        let (sum, isTooMuch) = milliseconds[centimetres, default: 0]
            .addingReportingOverflow(Int64(seconds * 1000))
        if !isTooMuch { milliseconds[centimetres] = sum }
    }

    /// The greatest speed in metres a second; nil where none is known.
    package var greatest: Double? { milliseconds.keys.max().map { Double($0) / 100 } }

    /// For each share of 1, ascending: the least speed in metres a second that was not exceeded for
    /// that share of the time; none where no speed is known.
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
