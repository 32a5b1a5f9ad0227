import SyncCore

/// What one pass over the samples of a track gathers, of all that was asked for.
struct TrackSurvey: Sendable {
    /// What its fixes are judged by.
    let rule: FixRule
    /// What each channel told.
    var channels: ChannelTable?
    /// What it adds up to.
    var figures: TrackFigures?
    /// Where it headed.
    var headings: HeadingReport?
    /// What is drawn.
    var trace: Trace?
    private var believed: BelievedSamples

    /// Asks for nothing yet.
    init(by rule: FixRule) {
        self.rule = rule
        believed = BelievedSamples(rule)
    }

    /// What is wrong with its fixes.
    var flags: FixFlags { FixFlags(believed.flagCounts, by: rule) }

    /// Goes through all samples of a track.
    mutating func take(_ samples: SampleBatches) throws {
        var cursor = samples.cursor
        while let sample = try cursor.next() {
            channels?.add(sample)
            headings?.add(sample)
            believed.add(sample)
            takeBelieved()
        }
        believed.end()
        takeBelieved()
    }

    private mutating func takeBelieved() {
        while let sample = believed.next() {
            figures?.add(sample)
            trace?.add(sample)
        }
    }
}
