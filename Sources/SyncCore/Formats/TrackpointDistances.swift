/// The distance to each trackpoint, without outliers; reads ahead, because verdicts come late.
struct TrackpointDistances {
    private var ahead: TrackpointCursor
    private var steps: FixSteps
    /// Metres to the fixes that have a verdict but were not requested yet, by fix number.
    private var judged: [Int: Double] = [:]
    private var count = 0
    /// The metres to the last requested trackpoint.
    private(set) var metres = 0.0

    init(_ trackpoints: TrackpointCursor, _ rule: FixRule) {
        ahead = trackpoints
        steps = FixSteps(rule)
    }

    /// Moves to the next trackpoint and returns the metres to it from the one before.
    @discardableResult mutating func add(_ sample: Sample) throws -> Double {
        guard sample.isPoint else { return 0 }
        while judged[count] == nil { try judgeMore() }
        let step = judged.removeValue(forKey: count) ?? 0
        metres += step
        count += 1
        return step
    }

    private mutating func judgeMore() throws {
        if let sample = ahead.upcoming {
            steps.add(sample)
            try ahead.advance()
        } else {
            steps.end()
        }
        while let step = steps.next() { judged[step.index] = step.metres }
    }
}
