/// A kind of KML element, found by its local name.
private enum KMLElement: String {
    case root = "kml"
    case placemark = "Placemark"
    case name
    case description
    case multiTrack = "MultiTrack"
    case track = "Track"
    case when
    case place = "coord"
    case array = "SimpleArrayData"
    case value
    case line = "LineString"
    case point = "Point"
    case timeStamp = "TimeStamp"
    case places = "coordinates"
    case data = "Data"
    case other = ""
}

/// Reads KML 2.2 with Google's extensions piece by piece
/// (https://developers.google.com/kml/documentation/kmlreference#gxtrack).
///
/// A `gx:Track`, or the `Track` of KML 2.3, becomes a track; those of one `MultiTrack` become
/// segments. Times and positions are two lists that may differ in length. A time without a position
/// is kept. A position with an empty time is a point without a time. Positions beyond the last time
/// are dropped.
///
/// Readings come from arrays in `ExtendedData`, named as other programs or ``KMLWriter`` do; of two
/// arrays for one channel the last counts. Lines without times are counted as routes, unless
/// ``KMLWriter`` marked them as a recording. Each such line is a segment; a line marked as a
/// continuation extends the previous segment and repeats its last position.
final class KMLReader: XMLRecording {
    private(set) var file = ImportedFile()
    private var path: [KMLElement] = []
    private var track: ImportedTrack?
    private var name = ""
    private var notes = ""
    private var sport = ""
    private var offset: UTCOffset?
    private var zone: ZoneName?
    /// Whether the lines of the current placemark are a recording.
    private var isRecorded = false
    /// The places of the current placemark.
    private var waypoints: [ImportedWaypoint] = []
    private var waypointTime: UnixTime?
    /// The `name` of the current `Data` element.
    private var dataName = ""
    /// Whether the current line continues the segment of the previous one.
    private var isContinuation = false
    /// The last position of the lines so far.
    private var latestPlace: Sample?
    private var segment: Int64 = 0
    /// Times with their segment, positions under `.latitude`, and readings.
    private var columns = SampleColumns()
    private var channel: Channel?

    private static let channels: [String: Channel] = [
        "heartrate": .heartRate, "heart_rate": .heartRate, "hr": .heartRate,
        "cadence": .cadence, "cad": .cadence, "power": .power, "speed": .speed,
        "temperature": .temperature, "bearing": .course, "accuracy": .accuracy,
    ]

    func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormatError.Reason) {
        let element = KMLElement(rawValue: XMLText.local(name)) ?? .other
        guard !path.isEmpty || element == .root else { throw .notThisFormat }
        defer { path.append(element) }
        switch element {
        case .placemark: startPlacemark()
        case .multiTrack: try startTrack()
        case .track: try startPart()
        case .array:
            let name = attributes["name"].map(XMLText.trimmed)?.lowercased() ?? ""
            channel = Self.channels[name] ?? SampleColumns.channel(named: name)
            if let channel { columns.remove(channel) }
        case .data: dataName = attributes["name"].map(XMLText.trimmed) ?? ""
        case .line where !isRecorded: file.passOver(.route)
        case .point where !isRecorded: break
        case .line, .point:
            isContinuation = attributes["id"]?.starts(with: KMLWriter.continuation.utf8) == true
        default: break
        }
    }

    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason) {
        guard let element = path.popLast() else { return }
        switch (path.last, element) {
        case (.placemark, .name): self.name = XMLText.trimmed(text)
        case (.placemark, .description): notes = XMLText.trimmed(text)
        case (.track, .when): try add(time: text)
        case (.timeStamp, .when) where path.dropLast().last == .placemark:
            waypointTime = (try? XMLText.time(text))?.time
        case (.track, .place): try add(place: text)
        case (.array, .value): try add(value: text)
        case (.data, .value): note(XMLText.trimmed(text))
        case (.line, .places) where isRecorded, (.point, .places) where isRecorded:
            try add(line: text)
        case (.point, .places): takePlace(text)
        case (_, .placemark) where isRecorded: endTrack()
        case (_, .placemark): endWaypoint()
        case (_, .array): channel = nil
        case (_, .track): endPart()
        case (_, .multiTrack): endTrack()
        default: break
        }
    }
}

/// Tracks and places.
extension KMLReader {
    private func startPlacemark() {
        (name, notes, sport, offset, zone) = ("", "", "", nil, nil)
        (isRecorded, latestPlace, waypoints, waypointTime) = (false, nil, [], nil)
        columns = SampleColumns()
    }

    /// Skips an invalid place, which must not affect tracks or other places.
    private func takePlace(_ text: [UInt8]) {
        let words = text.split(separator: UInt8(ascii: ","))
        guard let position = (try? Self.place(words, text))?.coordinate
        else { return file.take(nil) }
        waypoints.append(ImportedWaypoint(position))
    }

    private func endWaypoint() {
        for var place in waypoints {
            (place.name, place.notes, place.time) = (name, notes, waypointTime)
            file.take(place)
        }
        waypoints = []
    }

    /// Reads the track properties that ``KMLWriter`` writes.
    private func note(_ value: String) {
        switch dataName {
        case "wake:recorded": isRecorded = true
        case "wake:sport": sport = value
        case "wake:utcOffset": offset = UTCOffset(iso8601: value.utf8)
        case "wake:zone": zone = ZoneName(value)
        default: break
        }
    }

    private func startTrack() throws(FormatError.Reason) {
        guard file.tracks.count < ImportedFile.trackLimit else { throw .tooLarge }
        (track, segment) = (ImportedTrack(), 0)
    }

    private func startPart() throws(FormatError.Reason) {
        if path.last != .multiTrack { try startTrack() }
        columns = SampleColumns()
    }

    private func endPart() {
        let count = track?.samples.count
        flush()
        if track?.samples.count != count { segment += 1 }
        if path.last != .multiTrack { endTrack() }
    }

    /// Joins the columns of a segment into samples.
    private func flush() {
        for var sample in columns.rows(of: .time) {
            guard let segment = sample[count: .segment], sample.time != nil || sample.isPoint
            else { continue }
            // The first segment needs no number.
            if segment == 0 { sample[count: .segment] = nil }
            track?.samples.append(sample)
        }
        columns = SampleColumns()
    }

    func passOverPoint() {}

    func endTrack() {
        flush()
        guard var track else { return }
        (track.name, track.notes, track.sport, track.zone) = (name, notes, sport, zone)
        track.note(offset)
        track.samples.close()
        file.tracks.append(track)
        self.track = nil
    }
}

/// Times, positions and readings.
extension KMLReader {
    private func add(time text: [UInt8]) throws(FormatError.Reason) {
        do throws(FormatError.Reason) {
            let isEmpty = text.allSatisfy(\.isWhiteSpace)
            try addRow(isEmpty ? nil : track?.note(try XMLText.time(text)))
        } catch {
            // An empty row keeps the lists aligned; `flush()` drops rows without a segment.
            try columns.append(Sample(), to: .time)
            throw error
        }
    }

    private func addRow(_ time: UnixTime?) throws(FormatError.Reason) {
        var row = Sample()
        (row.time, row[count: .segment]) = (time, segment)
        try columns.append(row, to: .time)
    }

    /// Parses longitude, latitude and altitude, separated by white space; may be empty.
    private func add(place text: [UInt8]) throws(FormatError.Reason) {
        let words = text.split(whereSeparator: \.isWhiteSpace)
        do throws(FormatError.Reason) {
            let place = words.isEmpty ? Sample() : try Self.place(words, text)
            try columns.append(place, to: .latitude)
        } catch {
            try columns.append(Sample(), to: .latitude)
            throw error
        }
    }

    /// Parses the positions of a line, separated by white space, each with comma-separated numbers.
    private func add(line text: [UInt8]) throws(FormatError.Reason) {
        if track == nil { try startTrack() }
        var fault: FormatError.Reason?
        var isFirst = true
        for words in text.split(whereSeparator: \.isWhiteSpace) {
            do throws(FormatError.Reason) {
                let place = try Self.place(words.split(separator: UInt8(ascii: ",")), Array(words))
                if isFirst, !isContinuation, latestPlace != nil { segment += 1 }
                if !isFirst || !isContinuation || place != latestPlace {
                    try addRow(nil)
                    try columns.append(place, to: .latitude)
                }
                latestPlace = place
                isFirst = false
            } catch {
                fault = fault ?? error
                try columns.append(Sample(), to: .time)
                try columns.append(Sample(), to: .latitude)
            }
        }
        if let fault { throw fault }
    }

    private static func place(
        _ words: [ArraySlice<UInt8>],
        _ text: [UInt8]
    ) throws(FormatError.Reason) -> Sample {
        let numbers = words.map { Decimal($0) }
        guard 2...3 ~= words.count,
            let place = Coordinate(latitude: numbers[1], longitude: numbers[0])
        else { throw .badCoordinate(XMLText.excerpt(text)) }
        var sample = Sample(at: place)
        if numbers.count == 3 {
            guard let up = numbers[2]?.altitude else { throw .badCoordinate(XMLText.excerpt(text)) }
            sample[count: .altitude] = up
        }
        return sample
    }

    private func add(value text: [UInt8]) throws(FormatError.Reason) {
        guard let channel else { return }
        let count = file.count(text, decimals: channel.decimals)
        try columns.append(Sample(channel, count), to: channel)
    }
}
