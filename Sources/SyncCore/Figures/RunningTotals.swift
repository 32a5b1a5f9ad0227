/// The totals of a track while it is recorded, as in ``TrackFigures`` but in little memory.
package struct RunningTotals: Sendable {
    private var samples: BelievedSamples
    private var legs = LegReader()
    private var judged: Totals

    package init(_ rule: FixRule, sport: SportKind) {
        samples = BelievedSamples(rule)
        judged = Totals(sport)
    }

    package mutating func add(_ sample: Sample) {
        samples.add(sample)
        takeBelieved()
    }

    /// The totals so far, as if no more samples followed.
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
