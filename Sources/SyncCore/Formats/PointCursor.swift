/// The points of a track, segment by segment; a copy goes on from its place by itself.
///
/// So a writer that needs a segment several times, once for each column, takes a copy for each time
/// and goes on with the last one.
struct PointCursor {
    private var points: PointReadings
    /// The point that comes next, nil at the end.
    private(set) var upcoming: Sample?

    /// Before the first point.
    init(of samples: SampleBatches) throws {
        points = PointReadings(of: samples)
        try advance()
    }

    private mutating func advance() throws {
        upcoming = try points.next()
    }

    /// Whether the point that comes next is the only one of its segment.
    var isAtLonePoint: Bool {
        get throws {
            guard let upcoming else { return false }
            var after = self
            try after.advance()
            return after.upcoming?.segment != upcoming.segment
        }
    }

    /// Calls `body` with each point up to the end of the segment, and stands behind it then.
    mutating func segment(_ body: (Sample) throws -> Void) throws {
        guard let first = upcoming else { return }
        let segment = first.segment
        while let point = upcoming, point.segment == segment {
            try body(point)
            try advance()
        }
    }
}

extension Sample {
    /// The time, where the formats can write it: in the years 1 to 9999.
    var writableTime: UnixTime? { time?.writable }

    /// A reading in its channel's unit as a decimal number, nil where there is none.
    func decimal(_ channel: Channel) -> String? {
        self[count: channel].map { Decimal.text($0, decimals: channel.decimals) }
    }
}

extension UnixTime {
    /// The instant, where four digits can write its year.
    package var writable: UnixTime? { Self.writable.contains(milliseconds) ? self : nil }
}
