/// The samples that can be trackpoints; a copy goes on from its place by itself.
struct TrackpointCursor {
    private var samples: SampleCursor
    /// Points without a time that were passed over.
    private(set) var untimedCount = 0
    /// The next one; nil at the end.
    private(set) var upcoming: Sample?

    private static let channels: Set<Channel> = [
        .altitude, .heartRate, .cadence, .speed, .power,
    ]

    init(_ samples: SampleBatches) throws {
        self.samples = samples.cursor
        try advance()
    }

    /// Passes over the upcoming one.
    mutating func advance() throws {
        repeat {
            upcoming = try samples.next()
            if let upcoming, upcoming.isPoint, upcoming.writableTime == nil { untimedCount += 1 }
        } while upcoming.map { !Self.holds($0) } ?? false
    }

    private static func holds(_ sample: Sample) -> Bool {
        sample.writableTime != nil
            && (sample.isPoint || sample.readings.contains { channels.contains($0.channel) })
    }

    /// Calls `body` with each sample up to the first of a time, and stands before that then.
    mutating func forEach(before end: UnixTime?, _ body: (Sample) throws -> Void) throws {
        while let sample = upcoming {
            if let end, let time = sample.time, time.milliseconds >= end.milliseconds { return }
            try body(sample)
            try advance()
        }
    }
}
