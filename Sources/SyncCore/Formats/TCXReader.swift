/// A kind of TCX element, found by its local name.
private enum TCXElement: String {
    case root = "TrainingCenterDatabase"
    case activity = "Activity"
    case course = "Course"
    case lap = "Lap"
    case track = "Track"
    case point = "Trackpoint"
    case time = "Time"
    case latitude = "LatitudeDegrees"
    case longitude = "LongitudeDegrees"
    case altitude = "AltitudeMeters"
    case heartRate = "HeartRateBpm"
    case value = "Value"
    case cadence = "Cadence"
    case runCadence = "RunCadence"
    case speed = "Speed"
    case power = "Watts"
    case totalTime = "TotalTimeSeconds"
    case distance = "DistanceMeters"
    case calories = "Calories"
    case name = "Name"
    case notes = "Notes"
    case creator = "Creator"
    case extensions = "Extensions"
    case ownName = "name"
    case ownSport = "sport"
    case utcOffset
    case zone
    case other = ""
}

/// Reads Garmin's Training Center XML version 2 piece by piece
/// (http://www.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd).
///
/// Each activity or course is a track. Laps are kept as the device counted them. A second `Track`
/// in a lap starts a new segment, because TCX writes a pause that way. A trackpoint without a
/// position keeps its time and readings. Elements are matched by local name.
final class TCXReader: XMLRecording {
    private(set) var file = ImportedFile()
    private var path: [TCXElement] = []
    private var track: ImportedTrack?
    private var lap: ImportedTrack.Lap?
    private var calories: Int64 = 0
    private var point: Sample?
    private var segment: Int64 = 0
    private var tracksInLap = 0

    func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormatError.Reason) {
        let element = TCXElement(rawValue: XMLText.local(name)) ?? .other
        guard !path.isEmpty || element == .root else { throw .notThisFormat }
        defer { path.append(element) }
        switch element {
        case .activity where track == nil, .course where track == nil: try startTrack(attributes)
        case .lap where track != nil: try startLap(attributes)
        case .track where track != nil: startPart()
        case .point where track != nil && path.last == .track: point = Sample()
        default: break
        }
    }

    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason) {
        guard let element = path.popLast() else { return }
        if point != nil {
            try endInPoint(element, name, text)
        } else if track != nil {
            try endInTrack(element, name, text)
        }
    }
}

extension TCXReader {
    private func startTrack(_ attributes: [XMLAttribute]) throws(FormatError.Reason) {
        guard file.tracks.count < ImportedFile.trackLimit else { throw .tooLarge }
        track = ImportedTrack(sport: attributes["Sport"].map(XMLText.trimmed) ?? "")
        (segment, tracksInLap, calories) = (0, 0, 0)
    }

    private func startLap(_ attributes: [XMLAttribute]) throws(FormatError.Reason) {
        tracksInLap = 0
        guard let start = attributes["StartTime"] else { return }
        lap = track?.note(try XMLText.time(start)).map { ImportedTrack.Lap(start: $0) }
    }

    private func startPart() {
        tracksInLap += 1
        if tracksInLap > 1, track?.samples.isEmpty == false { segment += 1 }
    }

    private func endInTrack(
        _ element: TCXElement,
        _ name: String,
        _ text: [UInt8]
    ) throws(FormatError.Reason) {
        switch (path.last, element) {
        case (.lap, .totalTime): lap?.milliseconds = try XMLText.count(text, decimals: 3, name)
        case (.lap, .distance): lap?.centimetres = try XMLText.count(text, decimals: 2, name)
        case (.lap, .calories): calories &+= try XMLText.count(text, decimals: 0, name) ?? 0
        case (_, .lap): endLap()
        case (.creator, .name): track?.device = XMLText.trimmed(text)
        case (.course, .name): track?.name = XMLText.trimmed(text)
        case (.activity, .notes), (.course, .notes): track?.notes = XMLText.trimmed(text)
        case (_, .activity), (_, .course): endTrack()
        case (.extensions, _) where path.dropLast().last == .activity:
            endInExtensions(element, XMLText.trimmed(text))
        default: break
        }
    }

    /// Reads the extensions of ``TCXWriter``, which also writes the name before the notes.
    private func endInExtensions(_ element: TCXElement, _ text: String) {
        switch element {
        case .ownName:
            track?.name = text
            let notes = track?.notes.utf8 ?? "".utf8
            if notes.elementsEqual(text.utf8) { track?.notes = "" }
            guard notes.starts(with: (text + "\n").utf8) else { return }
            track?.notes = String(decoding: notes.dropFirst(text.utf8.count + 1), as: UTF8.self)
        case .ownSport: track?.sport = text
        case .utcOffset: track?.note(UTCOffset(iso8601: text.utf8))
        case .zone: track?.zone = ZoneName(text)
        default: break
        }
    }

    private func endLap() {
        defer { self.lap = nil }
        guard let lap, (track?.laps.count ?? 0) < ImportedFile.lapLimit else { return }
        track?.laps.append(lap)
    }

    func passOverPoint() { point = nil }

    func endTrack() {
        endLap()
        if let laps = track?.laps { track?.totals = .init(of: laps) }
        if calories > 0 { track?.totals.kilocalories = calories }
        file.end(&track)
    }
}

extension TCXReader {
    private func endInPoint(
        _ element: TCXElement,
        _ name: String,
        _ text: [UInt8]
    ) throws(FormatError.Reason) {
        switch (path.last, element) {
        case (_, .point): try endPoint()
        case (.point, .time): point?.time = track?.note(try XMLText.time(text))
        case (_, .latitude): try set(.latitude, text, name)
        case (_, .longitude): try set(.longitude, text, name)
        case (.point, .altitude): try set(.altitude, text, name)
        case (.heartRate, .value): try set(.heartRate, text, name)
        case (.point, .cadence): try set(.cadence, text, name)
        case (_, .runCadence): setExtension(.cadence, text)
        case (_, .speed): setExtension(.speed, text)
        case (_, .power): setExtension(.power, text)
        default: break
        }
    }

    private func set(
        _ channel: Channel,
        _ text: [UInt8],
        _ name: String
    ) throws(FormatError.Reason) {
        guard let count = try XMLText.count(text, decimals: channel.decimals, name) else { return }
        if channel == .altitude, count.magnitude > ImportedFile.altitudeLimit {
            throw .badNumber(element: name, "\(count)")
        }
        point?[count: channel] = count
    }

    /// Counts and ignores an extension value that is not a number.
    private func setExtension(_ channel: Channel, _ text: [UInt8]) {
        guard let count = file.count(text, decimals: channel.decimals) else { return }
        point?[count: channel] = count
    }

    private func endPoint() throws(FormatError.Reason) {
        guard var point else { return }
        self.point = nil
        let place = (point[count: .latitude], point[count: .longitude])
        if place != (nil, nil), !point.isPoint {
            let texts = [Channel.latitude, .longitude].map { point.decimal($0) ?? "none" }
            throw .badCoordinate(texts.joined(separator: " "))
        }
        if segment > 0 { point[count: .segment] = segment }
        guard !point.readings.isEmpty else { return }
        track?.samples.append(point)
    }
}

extension ImportedTrack.Totals {
    /// Sums over the laps; a total is nil unless every lap has the value.
    fileprivate init(of laps: [ImportedTrack.Lap]) {
        self.init()
        guard !laps.isEmpty else { return }
        timerMilliseconds = Self.sum(laps.map(\.milliseconds))
        centimetres = Self.sum(laps.map(\.centimetres))
    }

    private static func sum(_ counts: [Int64?]) -> Int64? {
        counts.reduce(0) { sum, count in
            guard let sum, let count else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(count)
            return overflow ? nil : next
        }
    }
}
