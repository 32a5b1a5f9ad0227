/// A GeoJSON feature while it is read; its members may come in any order.
struct GeoJSONFeature {
    var geometry = ""
    /// The properties of the track that the feature is, or is a point of.
    var properties = ImportedTrack()
    /// The time of a point.
    var time: UnixTime?
    /// The altitude of a point from its properties, used if the position has none.
    var altitude: Int64?
    /// Whether the properties contain `coordinateProperties`, as those of our tracks do.
    var hasLists = false
    /// Whether a geometry collection contains anything but points and lines.
    var hasShape = false
    /// Positions under `.latitude`, times and readings.
    private var columns = SampleColumns()
    /// The index of the first position of each segment.
    private var starts: [Int] = [0]

    var placeCount: Int { columns.count(of: .latitude) }

    /// The error of the next position.
    var badPosition: FormatError.Reason { .badCoordinate("position \(placeCount + 1)") }

    /// Discards the positions, because the last of duplicate keys counts.
    mutating func removePlaces() {
        columns.remove(.latitude)
        starts = [0]
    }

    /// Discards a list, for the same reason.
    mutating func remove(_ channel: Channel) { columns.remove(channel) }

    /// Appends the next element of a list.
    mutating func add(_ count: Int64?, of channel: Channel) throws(FormatError.Reason) {
        try columns.append(Sample(channel, count), to: channel)
    }

    /// Appends a position: longitude, latitude and optional altitude.
    mutating func add(_ numbers: [Decimal?]) throws(FormatError.Reason) {
        guard numbers.count >= 2 else { throw .missingCoordinate }
        guard let place = Coordinate(latitude: numbers[1], longitude: numbers[0])
        else { throw badPosition }
        var sample = Sample(at: place)
        if numbers.count > 2, let height = numbers[2] {
            guard let up = height.altitude else { throw badPosition }
            sample[count: .altitude] = up
        }
        try columns.append(sample, to: .latitude)
    }

    /// Ends the current segment.
    mutating func endPart() {
        if placeCount > starts[starts.count - 1] { starts.append(placeCount) }
    }

    /// Whether the feature is a track: lines, or a ``GeoJSONWriter`` geometry with points.
    var isWay: Bool {
        switch geometry {
        case "LineString", "MultiLineString": true
        case "Point": hasLists
        case "GeometryCollection": hasLists && !hasShape
        default: false
        }
    }

    /// The position of a point with its time, or nil if either is missing.
    var point: Sample? {
        guard placeCount == 1, let time else { return nil }
        var sample = columns.rows(of: .latitude).reduce(Sample()) { $1 }
        sample.time = time
        if sample[count: .altitude] == nil { sample[count: .altitude] = altitude }
        return sample
    }

    /// Returns the feature's track, or nil if it has no positions.
    func track() throws(FormatError.Reason) -> ImportedTrack? {
        guard placeCount > 0 else { return nil }
        // If the counts differ, times cannot be matched to positions.
        let timeCount = columns.count(of: .time)
        guard timeCount == 0 || timeCount == placeCount
        else { throw .badTime("\(timeCount) times for \(placeCount) positions") }
        var track = properties
        var segment = 0
        for var sample in columns.rows(of: .latitude) {
            if segment + 1 < starts.count, starts[segment + 1] == track.samples.count {
                segment += 1
            }
            if segment > 0 { sample[count: .segment] = Int64(segment) }
            track.samples.append(sample)
        }
        track.samples.close()
        return track
    }
}
