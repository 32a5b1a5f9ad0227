/// The distance and duration of a lap, computed from its trackpoints.
///
/// A lap ends at the first trackpoint that is not earlier than the start of the next lap.
struct LapSum {
    /// The distance to each trackpoint from the previous one, which may be in the previous lap.
    private(set) var metres = 0.0
    private var times: ClosedRange<UnixTime>?

    /// The time from the first trackpoint to the last.
    var milliseconds: Int64 {
        times.map { $0.upperBound.milliseconds - $0.lowerBound.milliseconds } ?? 0
    }

    /// Returns one sum a lap; `laps` must be sorted by start.
    static func sums(
        of laps: [ImportedTrack.Lap],
        _ trackpoints: TrackpointCursor,
        _ rule: FixRule
    ) throws -> [LapSum] {
        var (cursor, way) = (trackpoints, TrackpointDistances(trackpoints, rule))
        return try laps.indices.map { index in
            var sum = LapSum()
            try cursor.forEach(before: index + 1 < laps.count ? laps[index + 1].start : nil) {
                sum.metres += try way.add($0)
                sum.times = sum.times.joined($0.time)
            }
            return sum
        }
    }
}
