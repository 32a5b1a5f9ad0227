/// A feature of GeoJSON while it is read: its members may come in any order.
struct GeoJSONFeature {
    /// The type of its geometry.
    var geometry = ""
    var name = ""
    var notes = ""
    var sport = ""
    /// When a point was taken.
    var time: UnixTime?
    /// How high it was, where its place does not say.
    var altitude: Int64?
    /// By place.
    var times: [Int64?] = []
    /// By place.
    var values: [Channel: [Int64?]] = [:]
    private var latitudes: [Int32] = []
    private var longitudes: [Int32] = []
    private var altitudes: [Int64?] = []
    /// Where the parts of a line begin.
    private var starts: [Int] = [0]

    /// Times and places are two lists and are held until the feature ends: forty megabytes, and
    /// sixteen for each kind of reading.
    static let placeLimit = 1_000_000

    var placeCount: Int { latitudes.count }

    /// Forgets the places: of a key that comes twice the last counts.
    mutating func removePlaces() {
        (latitudes, longitudes, altitudes, starts) = ([], [], [], [0])
    }

    /// Adds a position: longitude, latitude, and altitude where there is one.
    mutating func add(_ numbers: [Decimal?]) throws(FormatError.Reason) {
        guard placeCount < Self.placeLimit else { throw .tooLarge }
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
        latitudes.append(place.latitude)
        longitudes.append(place.longitude)
        altitudes.append(up)
    }

    /// What comes next is another part.
    mutating func endPart() {
        if placeCount > starts[starts.count - 1] { starts.append(placeCount) }
    }

    /// The only position of a point, with its time.
    var point: Sample? {
        guard placeCount == 1, let time else { return nil }
        var sample = sample(at: 0)
        sample.time = time
        if sample[count: .altitude] == nil { sample[count: .altitude] = altitude }
        return sample
    }

    /// The track that a line is; nil for a line of nothing.
    func track() throws(FormatError.Reason) -> ImportedTrack? {
        guard placeCount > 0 else { return nil }
        // With times of some places only, nobody knows of which.
        guard times.isEmpty || times.count == placeCount else {
            throw .badTime("\(times.count) times for \(placeCount) positions")
        }
        var track = ImportedTrack(name: name, sport: sport, notes: notes)
        var segment = 0
        for index in latitudes.indices {
            if segment + 1 < starts.count, starts[segment + 1] == index { segment += 1 }
            var sample = sample(at: index)
            sample.time =
                index < times.count ? times[index].map { UnixTime(milliseconds: $0) } : nil
            if segment > 0 { sample[count: .segment] = Int64(segment) }
            for (channel, counts) in values where index < counts.count {
                sample[count: channel] = counts[index]
            }
            track.samples.append(sample)
        }
        track.samples.close()
        return track
    }

    private func sample(at index: Int) -> Sample {
        var sample = Sample(ascending: [
            Sample.Reading(channel: .latitude, count: Int64(latitudes[index])),
            Sample.Reading(channel: .longitude, count: Int64(longitudes[index])),
        ])
        sample[count: .altitude] = altitudes[index]
        return sample
    }
}
