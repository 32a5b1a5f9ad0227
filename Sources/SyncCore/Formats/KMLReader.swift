/// What an element of a KML document means to us, by its local name.
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
    case other = ""

    init(local name: Substring) {
        self = Self(rawValue: String(name)) ?? .other
    }
}

/// Reads KML piece by piece, version 2.2 and Google's extensions
/// (https://developers.google.com/kml/documentation/kmlreference#gxtrack).
///
/// A `gx:Track`, or the `Track` of KML 2.3, becomes a track; those of one `MultiTrack` are the
/// segments of one. Times and places are two lists, and need not be of one length: what has no place
/// keeps its time, and a place without a time is left out. Heart rate, cadence, power, speed
/// and the like come from arrays in `ExtendedData`. Lines without times are routes and are counted.
final class KMLReader: XMLRecording {
    private(set) var file = ImportedFile()
    private var path: [KMLElement] = []
    private var track: ImportedTrack?
    private var name = ""
    private var notes = ""
    private var segment: Int64 = 0
    /// Times, places under that of their latitude, and readings.
    private var columns = SampleColumns()
    private var channel: Channel?

    private static let channels: [String: Channel] = [
        "heartrate": .heartRate, "heart_rate": .heartRate, "hr": .heartRate,
        "cadence": .cadence, "cad": .cadence, "power": .power, "speed": .speed,
        "temperature": .temperature, "bearing": .course, "accuracy": .accuracy,
    ]

    func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormatError.Reason) {
        let element = KMLElement(local: XMLText.local(name))
        guard !path.isEmpty || element == .root else { throw .notThisFormat }
        switch element {
        case .placemark: (self.name, notes) = ("", "")
        case .multiTrack: try startTrack()
        case .track: try startPart()
        case .array:
            let key = attributes.first { $0.name == "name" }.map { XMLText.trimmed($0.value) }
            channel = key.flatMap { Self.channels[$0.lowercased()] }
        case .line: file.passOver(.route)
        case .point: file.passOver(.waypoint)
        default: break
        }
        path.append(element)
    }

    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason) {
        guard let element = path.popLast() else { return }
        switch (path.last, element) {
        case (.placemark, .name): self.name = XMLText.trimmed(text)
        case (.placemark, .description): notes = XMLText.trimmed(text)
        case (.track, .when): try add(time: text)
        case (.track, .place): try add(place: text)
        case (.array, .value): try add(value: text)
        case (_, .array): channel = nil
        case (_, .track): endPart()
        case (_, .multiTrack): endTrack()
        default: break
        }
    }
}

/// Tracks and their parts.
extension KMLReader {
    private func startTrack() throws(FormatError.Reason) {
        guard file.tracks.count < ImportedFile.trackLimit else { throw .tooLarge }
        track = ImportedTrack()
        segment = 0
    }

    private func startPart() throws(FormatError.Reason) {
        if path.last != .multiTrack { try startTrack() }
        columns = SampleColumns()
    }

    private func endPart() {
        flush()
        segment += 1
        if path.last != .multiTrack { endTrack() }
    }

    /// Puts the lists of a part together.
    private func flush() {
        let isFirst = track?.samples.isEmpty ?? true
        for row in columns.rows(of: .time) where row.time != nil {
            var sample = row
            if !isFirst { sample[count: .segment] = segment }
            track?.samples.append(sample)
        }
        columns = SampleColumns()
    }

    func endTrack() {
        flush()
        guard var track else { return }
        (track.name, track.notes) = (name, notes)
        track.samples.close()
        file.tracks.append(track)
        self.track = nil
    }
}

/// Times, places and readings.
extension KMLReader {
    private func add(time text: [UInt8]) throws(FormatError.Reason) {
        let time = track?.note(try XMLText.time(text))
        try columns.append(Sample(time: time), to: .time)
    }

    /// Longitude, latitude and altitude with blanks between; empty where there is none.
    private func add(place text: [UInt8]) throws(FormatError.Reason) {
        let words = text.split(whereSeparator: \.isWhiteSpace)
        guard !words.isEmpty else { return try columns.append(Sample(), to: .latitude) }
        let numbers = words.map { Decimal($0) }
        guard 2...3 ~= words.count, let east = numbers[0]?.count(decimals: 7),
            let north = numbers[1]?.count(decimals: 7),
            Coordinate(latitude: north, longitude: east) != nil
        else { throw .badCoordinate(XMLText.trimmed(Array(text.prefix(40)))) }
        var sample = Sample(ascending: [
            Sample.Reading(channel: .latitude, count: north),
            Sample.Reading(channel: .longitude, count: east),
        ])
        if numbers.count == 3 {
            let up = numbers[2]?.count(decimals: Channel.altitude.decimals)
            guard let up, up.magnitude <= ImportedFile.altitudeLimit else {
                throw .badCoordinate(XMLText.trimmed(Array(text.prefix(40))))
            }
            sample[count: .altitude] = up
        }
        try columns.append(sample, to: .latitude)
    }

    private func add(value text: [UInt8]) throws(FormatError.Reason) {
        guard let channel else { return }
        let count = Decimal(text)?.count(decimals: channel.decimals)
        if count == nil, !text.allSatisfy(\.isWhiteSpace) { file.passOver(.value) }
        try columns.append(Sample(channel, count), to: channel)
    }
}
