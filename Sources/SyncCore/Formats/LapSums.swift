/// What the trackpoints of each lap add up to, in one reading.
///
/// A lap ends before the first trackpoint that is not earlier than the next one's start.
struct LapSums {
    /// The sum of one lap.
    struct Sum {
        /// To its trackpoints, each from the one before, which may be in the lap before.
        fileprivate(set) var metres = 0.0
        private var times: ClosedRange<Int64>?

        /// From its first time to its last.
        var milliseconds: Int64 { times.map { $0.upperBound - $0.lowerBound } ?? 0 }

        fileprivate mutating func add(_ time: UnixTime?) {
            guard let time = time?.milliseconds else { return }
            times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
        }
    }

    /// One for each lap.
    private(set) var sums: [Sum]
    private var steps: FixSteps
    private var count = 0
    /// The laps of fixes that are not judged yet, by their number.
    private var laps: [Int: Int] = [:]

    /// Adds up all that comes; `laps` are by their start.
    init(of laps: [ImportedTrack.Lap], _ trackpoints: TrackpointCursor, _ rule: FixRule) throws {
        sums = laps.map { _ in Sum() }
        steps = FixSteps(rule)
        var cursor = trackpoints
        for index in laps.indices {
            let end = index + 1 < laps.count ? laps[index + 1].start : nil
            try cursor.forEach(before: end) { add($0, to: index) }
        }
        steps.end()
        takeJudged()
    }

    private mutating func add(_ sample: Sample, to lap: Int) {
        sums[lap].add(sample.writableTime)
        guard sample.isPoint else { return }
        laps[count] = lap
        count += 1
        steps.add(sample)
        takeJudged()
    }

    private mutating func takeJudged() {
        while let step = steps.next() {
            guard let lap = laps.removeValue(forKey: step.index) else { continue }
            sums[lap].metres += step.metres
        }
    }
}
