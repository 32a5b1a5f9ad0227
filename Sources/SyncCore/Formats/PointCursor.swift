/// Iterates over the points of a track, segment by segment; a copy advances independently.
///
/// A writer that needs a segment once for each column copies the cursor for each pass and continues
/// with the last copy.
struct PointCursor {
    private var points: PointReadings
    /// The next point, or nil at the end.
    private(set) var upcoming: Sample?

    init(of samples: SampleBatches) throws {
        points = PointReadings(of: samples)
        try advance()
    }

    private mutating func advance() throws { upcoming = try points.next() }

    /// Whether the next point is the only one of its segment.
    var isAtLonePoint: Bool {
        get throws {
            guard let upcoming else { return false }
            var after = self
            try after.advance()
            return after.upcoming?.segment != upcoming.segment
        }
    }

    /// Calls `body` with each remaining point of the segment and stops behind the last one.
    mutating func segment(_ body: (Sample) throws -> Void) throws {
        let segment = upcoming?.segment
        while let point = upcoming, point.segment == segment {
            try body(point)
            try advance()
        }
    }
}

extension Sample {
    /// The time, or nil outside the years 1 to 9999, which the formats cannot write.
    var writableTime: UnixTime? { time?.writable }

    /// Formats a reading as a decimal number in its channel's unit; nil if there is none.
    func decimal(_ channel: Channel) -> String? {
        self[count: channel].map { Decimal.text($0, decimals: channel.decimals) }
    }
}

extension UnixTime {
    /// The instant, or nil if its year does not fit four digits.
    package var writable: UnixTime? { Self.writable.contains(milliseconds) ? self : nil }
}
