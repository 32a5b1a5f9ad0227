/// A feature of GeoJSON while it is read: its members may come in any order.
struct GeoJSONFeature {
    /// The type of its geometry.
    var geometry = ""
    /// What its properties say of the track that it is, or is a point of.
    var properties = ImportedTrack()
    /// When a point was taken.
    var time: UnixTime?
    /// How high it was, where its place does not say.
    var altitude: Int64?
    /// Whether it says of itself that it has lists beside its places, as our tracks do.
    var hasLists = false
    /// Whether one of several geometries is neither point nor line.
    var hasShape = false
    /// Places under that of their latitude, times and readings.
    private var columns = SampleColumns()
    /// Where the parts of a line begin.
    private var starts: [Int] = [0]

    var placeCount: Int { columns.count(of: .latitude) }

    /// Forgets the places: of a key that comes twice the last counts.
    mutating func removePlaces() {
        columns.remove(.latitude)
        starts = [0]
    }

    /// Forgets a list, for the same reason.
    mutating func remove(_ channel: Channel) { columns.remove(channel) }

    /// Adds the next of a list.
    mutating func add(_ count: Int64?, of channel: Channel) throws(FormatError.Reason) {
        try columns.append(Sample(channel, count), to: channel)
    }

    /// Adds a position: longitude, latitude, and altitude where there is one.
    mutating func add(_ numbers: [Decimal?]) throws(FormatError.Reason) {
        guard numbers.count >= 2 else { throw .missingCoordinate }
        guard let east = numbers[0]?.count(decimals: Channel.longitude.decimals),
            let north = numbers[1]?.count(decimals: Channel.latitude.decimals),
            let place = Coordinate(latitude: north, longitude: east)
        else { throw .badCoordinate("position \(placeCount + 1)") }
        var up: Int64?
        if numbers.count > 2, let height = numbers[2] {
            up = height.count(decimals: Channel.altitude.decimals)
            guard let up, up.magnitude <= ImportedFile.altitudeLimit else {
                throw .badCoordinate("position \(placeCount + 1)")
            }
        }
        var sample = Sample(ascending: [
            Sample.Reading(channel: .latitude, count: Int64(place.latitude)),
            Sample.Reading(channel: .longitude, count: Int64(place.longitude)),
        ])
        sample[count: .altitude] = up
        try columns.append(sample, to: .latitude)
    }

    /// What comes next is another part.
    mutating func endPart() {
        if placeCount > starts[starts.count - 1] { starts.append(placeCount) }
    }

    /// Whether it is a way: lines, or what our writer makes of parts that are points.
    var isWay: Bool {
        switch geometry {
        case "LineString", "MultiLineString": true
        case "Point": hasLists
        case "GeometryCollection": hasLists && !hasShape
        default: false
        }
    }

    /// The only position of a point, with its time.
    var point: Sample? {
        guard placeCount == 1, let time else { return nil }
        var sample = columns.rows(of: .latitude).reduce(Sample()) { $1 }
        sample.time = time
        if sample[count: .altitude] == nil { sample[count: .altitude] = altitude }
        return sample
    }

    /// The track that a way is; nil for one of nothing.
    func track() throws(FormatError.Reason) -> ImportedTrack? {
        guard placeCount > 0 else { return nil }
        // With times of some places only, nobody knows of which.
        let timeCount = columns.count(of: .time)
        guard timeCount == 0 || timeCount == placeCount else {
            throw .badTime("\(timeCount) times for \(placeCount) positions")
        }
        var track = properties
        var segment = 0
        for row in columns.rows(of: .latitude) {
            if segment + 1 < starts.count, starts[segment + 1] == track.samples.count {
                segment += 1
            }
            var sample = row
            if segment > 0 { sample[count: .segment] = Int64(segment) }
            track.samples.append(sample)
        }
        track.samples.close()
        return track
    }
}
