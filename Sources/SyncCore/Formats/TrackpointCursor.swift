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

/// The way to each trackpoint: without fixes that are flagged, so it reads some ahead of the writer.
struct TrackpointDistances {
    private var ahead: TrackpointCursor
    private var filter: FixFilter
    /// Verdicts of fixes that were not asked for yet, by their number.
    private var judged: [Int: FixFilter.Judged] = [:]
    private var count = 0
    private var last: FixFilter.Fix?
    /// Metres to the trackpoint that was asked for last.
    private(set) var metres = 0.0

    /// Before the first trackpoint.
    init(_ trackpoints: TrackpointCursor, _ rule: FixRule) {
        ahead = trackpoints
        filter = FixFilter(rule)
    }

    /// Goes on to the next trackpoint.
    mutating func add(_ sample: Sample) throws {
        guard sample.isPoint else { return }
        while judged[count] == nil { try judgeMore() }
        if let fix = judged.removeValue(forKey: count)?.believed {
            if let last, last.segment == fix.segment {
                metres += last.place.metres(to: fix.place)
            }
            last = fix
        }
        count += 1
    }

    private mutating func judgeMore() throws {
        if let sample = ahead.upcoming {
            filter.add(sample)
            try ahead.advance()
        } else {
            filter.end()
        }
        while let next = filter.next() { judged[next.index] = next }
    }
}
