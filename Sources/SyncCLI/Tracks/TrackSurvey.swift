import SyncCore

/// The results of one pass over a track's samples; only requested parts are collected.
struct TrackSurvey: Sendable {
    /// The filter rule for the fixes.
    let rule: FixRule
    /// The statistics of each channel.
    var channels: ChannelTable?
    var figures: TrackFigures?
    var headings: HeadingReport?
    var trace: Trace?
    private var believed: BelievedSamples

    /// Creates a survey that collects nothing until its parts are set.
    init(by rule: FixRule) {
        self.rule = rule
        believed = BelievedSamples(rule)
    }

    /// The counts of flagged fixes.
    var flags: FixFlags { FixFlags(believed.flagCounts, by: rule) }

    /// Reads all samples of a track.
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
