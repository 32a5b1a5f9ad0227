/// The way to each trackpoint: without fixes that are flagged, so it reads some ahead of the writer.
struct TrackpointDistances {
    private var ahead: TrackpointCursor
    private var steps: FixSteps
    /// Steps to fixes that were not asked for yet, in metres by their number.
    private var judged: [Int: Double] = [:]
    private var count = 0
    /// Metres to the trackpoint that was asked for last.
    private(set) var metres = 0.0

    /// Before the first trackpoint.
    init(_ trackpoints: TrackpointCursor, _ rule: FixRule) {
        ahead = trackpoints
        steps = FixSteps(rule)
    }

    /// Goes on to the next trackpoint.
    mutating func add(_ sample: Sample) throws {
        guard sample.isPoint else { return }
        while judged[count] == nil { try judgeMore() }
        metres += judged.removeValue(forKey: count) ?? 0
        count += 1
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
