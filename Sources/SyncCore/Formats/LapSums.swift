/// The distance and duration of each lap, computed from its trackpoints in one pass.
///
/// A lap ends at the first trackpoint that is not earlier than the start of the next lap.
struct LapSums {
    struct Sum {
        /// The distance to each trackpoint from the previous one, which may be in the previous lap.
        fileprivate(set) var metres = 0.0
        private var times: ClosedRange<Int64>?

        /// The time from the first trackpoint to the last.
        var milliseconds: Int64 { times.map { $0.upperBound - $0.lowerBound } ?? 0 }

        fileprivate mutating func add(_ time: UnixTime?) {
            guard let time = time?.milliseconds else { return }
            times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
        }
    }

    /// One sum a lap.
    private(set) var sums: [Sum]
    private var steps: FixSteps
    private var count = 0
    /// Lap numbers of the fixes without a verdict yet, by fix number.
    private var laps: [Int: Int] = [:]

    /// Sums up all trackpoints; `laps` must be sorted by start.
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
