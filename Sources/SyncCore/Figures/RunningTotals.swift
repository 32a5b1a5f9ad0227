/// The totals of a track that is being recorded, in the same way as ``TrackFigures`` and in little room.
package struct RunningTotals: Sendable {
    private var samples: BelievedSamples
    private var legs = LegReader()
    private var judged: Totals

    /// Nothing yet.
    package init(_ rule: FixRule, sport: SportKind) {
        samples = BelievedSamples(rule)
        judged = Totals(sport)
    }

    /// Goes on to a sample.
    package mutating func add(_ sample: Sample) {
        samples.add(sample)
        takeBelieved()
    }

    /// The totals so far, as if nothing came after.
    package var totals: Totals {
        var ended = self
        ended.samples.end()
        ended.takeBelieved()
        return ended.judged
    }

    private mutating func takeBelieved() {
        while let sample = samples.next() {
            if let leg = legs.next(sample) { judged.add(leg) }
        }
    }
}
