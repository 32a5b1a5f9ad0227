/// Iterates over the samples that TCX can hold as trackpoints; a copy advances independently.
struct TrackpointCursor {
    private var samples: SampleCursor
    /// Points skipped so far because they have no writable time.
    private(set) var untimedCount = 0
    /// The next trackpoint, or nil at the end.
    private(set) var upcoming: Sample?

    private static let channels: Set<Channel> = [.altitude, .heartRate, .cadence, .speed, .power]

    init(_ samples: SampleBatches) throws {
        self.samples = samples.cursor
        try advance()
    }

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

    /// Calls `body` with each trackpoint before `end` and stops at the first one that is not
    /// earlier.
    mutating func forEach(before end: UnixTime?, _ body: (Sample) throws -> Void) throws {
        while let sample = upcoming {
            if let end, let time = sample.time, time.milliseconds >= end.milliseconds { return }
            try body(sample)
            try advance()
        }
    }
}
