/// Reads GeoJSON piece by piece (RFC 7946).
///
/// A `LineString` becomes a track, and a `MultiLineString` one with segments; their times and
/// readings come from lists in the properties, as togeojson and gpsbabel write them
/// (`coordinateProperties.times`, `coordTimes`), and as ``GeoJSONWriter`` does, whose tracks are
/// also a `Point` or a `GeometryCollection` with such lists. Other points with a time, as telephones
/// export them, become one track in the order of the file; points without one are places, and what
/// is neither is passed over. A feature is held, packed, until it ends, since its members come in
/// any order.
final class GeoJSONReader: RecordingReader, JSONHandler {
    private var file = ImportedFile()
    private var feature = GeoJSONFeature()
    /// The points so far.
    private var points = ImportedTrack()
    private var path: [GeoJSONPart] = []
    private var key = ""
    private var numbers: [Decimal?] = []
    private var isInPosition = false
    private var type = ""
    private var name = ""
    private lazy var parser = JSONParser(handler: self)

    private static let types: Set<String> = [
        "FeatureCollection", "Feature", "Point", "MultiPoint", "LineString", "MultiLineString",
        "Polygon", "MultiPolygon", "GeometryCollection",
    ]

    func feed(_ bytes: [UInt8]) throws(FormatError) {
        do throws(FormatError) {
            try parser.feed(bytes)
        } catch {
            throw judged(error)
        }
    }

    func finish() throws(FormatError) -> ImportedFile {
        do throws(FormatError) {
            try parser.finish()
            guard isGeoJSON else {
                throw FormatError(line: 1, column: 1, reason: .notThisFormat)
            }
        } catch {
            throw judged(error)
        }
        return salvage()
    }

    func salvage() -> ImportedFile {
        if !points.samples.isEmpty {
            points.name = name
            points.samples.close()
            file.tracks.append(points)
            points = ImportedTrack()
        }
        return file
    }

    private var isGeoJSON: Bool { Self.types.contains(type) || !file.tracks.isEmpty }

    /// What is wrong with a text that shows nothing of GeoJSON is that it is something else.
    private func judged(_ error: FormatError) -> FormatError {
        guard case .malformedJSON = error.reason, !isGeoJSON, points.samples.isEmpty else {
            return error
        }
        return FormatError(line: 1, column: 1, reason: .notThisFormat)
    }

    func take(_ event: JSONEvent) throws(FormatError.Reason) {
        switch event {
        case .startObject: try start(isList: false)
        case .startArray: try start(isList: true)
        case .endObject, .endArray: try end()
        case .key(let bytes): key = bytes.count > 64 ? "" : String(decoding: bytes, as: UTF8.self)
        case .string(let bytes): try take(bytes, isNumber: false)
        case .number(let bytes): try take(bytes, isNumber: true)
        case .null, .bool: try takeNothing()
        }
    }
}

/// What a part of a document means to us.
enum GeoJSONPart: Equatable {
    /// The outermost object: a collection, a feature or a geometry.
    case root
    case features
    case feature
    case geometry
    case geometries
    /// One of several geometries.
    case member
    case coordinates
    case properties
    case lists
    case times
    case values(Channel)
    case other
}

/// Objects and lists.
extension GeoJSONReader {
    private static let lists: [String: Channel] = [
        "heart": .heartRate, "heartRates": .heartRate, "hr": .heartRate, "cad": .cadence,
        "cads": .cadence, "powers": .power, "atemp": .temperature, "atemps": .temperature,
        "speeds": .speed,
    ]

    /// What a list is of, by another program's name for it or by ours.
    private static func channel(of list: String) -> Channel? {
        lists[list] ?? SampleColumns.channel(named: list)
    }

    private func part(isList: Bool) -> GeoJSONPart {
        switch (path.last, key, isList) {
        case (nil, _, false): .root
        case (.root, "features", true): .features
        case (.features, _, false): .feature
        case (.root, "geometry", false), (.feature, "geometry", false): .geometry
        case (.root, "properties", false), (.feature, "properties", false): .properties
        case (.geometry, "geometries", true): .geometries
        case (.geometries, _, false): .member
        case (.root, "coordinates", true), (.geometry, "coordinates", true),
            (.member, "coordinates", true):
            .coordinates
        case (.properties, "coordinateProperties", false): .lists
        case (.properties, "coordTimes", true), (.lists, "times", true): .times
        case (.properties, let key, true), (.lists, let key, true):
            Self.channel(of: key).map { .values($0) } ?? .other
        case (.coordinates, _, true), (.times, _, true), (.values, _, true): path.last ?? .other
        default: .other
        }
    }

    private func start(isList: Bool) throws(FormatError.Reason) {
        let part = part(isList: isList)
        let isFirst = path.last != part
        switch part {
        case .other where path.isEmpty: throw .notThisFormat
        case .other where path.last == .coordinates:
            throw .badCoordinate("position \(feature.placeCount + 1)")
        case .feature: feature = GeoJSONFeature()
        case .geometries: feature.removePlaces()
        case .coordinates where path.last == .member: break
        case .coordinates where isFirst: feature.removePlaces()
        case .coordinates where isInPosition:
            throw .badCoordinate("position \(feature.placeCount + 1)")
        case .lists: feature.hasLists = true
        case .times where isFirst: feature.remove(.time)
        case .values(let channel) where isFirst: feature.remove(channel)
        default: break
        }
        path.append(part)
    }

    private func end() throws(FormatError.Reason) {
        switch path.popLast() {
        case .coordinates where isInPosition:
            try feature.add(numbers)
            numbers.removeAll(keepingCapacity: true)
            isInPosition = false
        case .coordinates, .member: feature.endPart()
        case .feature: try endFeature()
        case .root where type != "FeatureCollection":
            if type != "Feature" { feature.geometry = type }
            try endFeature()
        default: break
        }
    }

    private func endFeature() throws(FormatError.Reason) {
        defer { feature = GeoJSONFeature() }
        switch feature.geometry {
        case _ where feature.isWay:
            guard let track = try feature.track() else { return }
            guard file.tracks.count < ImportedFile.trackLimit else { throw .tooLarge }
            file.tracks.append(track)
        case "Point":
            guard let point = feature.point else { return file.passOver(.waypoint) }
            points.note(feature.properties.offset)
            points.samples.append(point)
        case "": break
        default: file.passOver(.shape)
        }
    }
}

/// Texts and numbers.
extension GeoJSONReader {
    private func take(_ text: [UInt8], isNumber: Bool) throws(FormatError.Reason) {
        switch path.last {
        case .coordinates:
            guard isNumber else { throw .badCoordinate("position \(feature.placeCount + 1)") }
            try take(number: Decimal(text), text)
        case .times:
            let time = isNumber ? GeoJSONTime.number(text) : GeoJSONTime.text(text)
            try feature.add(feature.properties.note(time)?.milliseconds, of: .time)
        case .values(let channel):
            let number = isNumber ? Decimal(text) : nil
            try feature.add(number?.count(decimals: channel.decimals), of: channel)
        case .properties: takeProperty(text, isNumber: isNumber)
        case .root where !isNumber: takeRoot(text)
        case .geometry where key == "type" && !isNumber:
            feature.geometry = String(decoding: text.prefix(64), as: UTF8.self)
        case .member where key == "type" && !isNumber:
            let type = String(decoding: text.prefix(64), as: UTF8.self)
            if !["Point", "LineString"].contains(type) { feature.hasShape = true }
        default: break
        }
    }

    /// Null, true or false.
    private func takeNothing() throws(FormatError.Reason) {
        switch path.last {
        // Some programs write null for an altitude that is not known.
        case .coordinates where numbers.count >= 2: try take(number: nil, [])
        case .coordinates: throw .badCoordinate("position \(feature.placeCount + 1)")
        case .times: try feature.add(nil, of: .time)
        case .values(let channel): try feature.add(nil, of: channel)
        default: break
        }
    }

    private func take(number: Decimal?, _ text: [UInt8]) throws(FormatError.Reason) {
        isInPosition = true
        // What stands behind the altitude has no meaning that RFC 7946 knows.
        guard numbers.count < 3 else { return }
        numbers.append(number)
    }

    private func takeRoot(_ text: [UInt8]) {
        let word = String(decoding: text, as: UTF8.self)
        switch key {
        case "type": type = word
        case "name": name = word
        default: break
        }
    }

    private func takeProperty(_ text: [UInt8], isNumber: Bool) {
        switch key {
        case "time", "timestamp", "tst", "datetime":
            let time = isNumber ? GeoJSONTime.number(text) : GeoJSONTime.text(text)
            if time == nil { file.passOver(.value) }
            feature.time = feature.properties.note(time) ?? feature.time
        case "ele", "alt", "altitude":
            let count = Decimal(text)?.count(decimals: Channel.altitude.decimals)
            guard let count, count.magnitude <= ImportedFile.altitudeLimit else { return }
            feature.altitude = count
        case "name", "title": feature.properties.name = XMLText.trimmed(text)
        case "desc", "description", "notes": feature.properties.notes = XMLText.trimmed(text)
        case "sport", "activity", "type": feature.properties.sport = XMLText.trimmed(text)
        case "wake:utcOffset" where !isNumber: feature.properties.note(UTCOffset(iso8601: text))
        case "wake:zone" where !isNumber: feature.properties.zone = ZoneName(XMLText.trimmed(text))
        default: break
        }
    }
}

/// An instant as programs write it into GeoJSON.
enum GeoJSONTime {
    /// Seconds or milliseconds of 1970; what would be later than the year 5000 is the latter.
    static func number(_ text: [UInt8]) -> WrittenTime? {
        guard let milliseconds = Decimal(text)?.count(decimals: 3) else { return nil }
        let time = milliseconds >= 100_000_000_000_000 ? milliseconds / 1000 : milliseconds
        guard UnixTime.writable.contains(time) else { return nil }
        return WrittenTime(time: UnixTime(milliseconds: time))
    }

    /// ISO 8601, or a number as text.
    static func text(_ text: [UInt8]) -> WrittenTime? {
        WrittenTime(iso8601: text) ?? number(text)
    }
}
