/// Reads GeoJSON (RFC 7946) piece by piece.
///
/// A `LineString` becomes a track and a `MultiLineString` a track with segments. Their times and
/// readings are lists in the properties, named as togeojson and gpsbabel do
/// (`coordinateProperties.times`, `coordTimes`) or as ``GeoJSONWriter`` does. A `Point` or
/// `GeometryCollection` with such lists is also a track of ``GeoJSONWriter``.
///
/// Other points with a time, as mobile phones export them, become one track in file order. Points
/// without a time and other shapes are skipped and counted. A feature is held in packed form until
/// it ends, because its members may come in any order.
final class GeoJSONReader: RecordingReader, JSONHandler {
    private var file = ImportedFile()
    private var feature = GeoJSONFeature()
    /// The track of the single points so far.
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
        } catch {
            throw judged(error)
        }
        guard isGeoJSON else { throw FormatError(line: 1, column: 1, reason: .notThisFormat) }
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

    /// Reports malformed JSON without any sign of GeoJSON as another format.
    private func judged(_ error: FormatError) -> FormatError {
        guard case .malformedJSON = error.reason, !isGeoJSON, points.samples.isEmpty
        else { return error }
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

/// The role of a part of a GeoJSON document.
enum GeoJSONPart: Equatable {
    /// The outermost object: a feature collection, a feature or a geometry.
    case root
    case features
    case feature
    case geometry
    case geometries
    /// A geometry of a geometry collection.
    case member
    case coordinates
    case properties
    case lists
    case times
    case values(Channel)
    case other
}

extension GeoJSONReader {
    private static let lists: [String: Channel] = [
        "heart": .heartRate, "heartRates": .heartRate, "hr": .heartRate, "cad": .cadence,
        "cads": .cadence, "powers": .power, "atemp": .temperature, "atemps": .temperature,
        "speeds": .speed,
    ]

    /// Returns the channel of a list, named as other programs or Wake name it.
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
        case .other where path.last == .coordinates: throw feature.badPosition
        case .feature: feature = GeoJSONFeature()
        case .geometries: feature.removePlaces()
        case .coordinates where path.last == .member: break
        case .coordinates where isFirst: feature.removePlaces()
        case .coordinates where isInPosition: throw feature.badPosition
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

/// Strings and numbers.
extension GeoJSONReader {
    private func take(_ text: [UInt8], isNumber: Bool) throws(FormatError.Reason) {
        switch path.last {
        case .coordinates:
            guard isNumber else { throw feature.badPosition }
            take(number: Decimal(text))
        case .times:
            let time = feature.properties.note(WrittenTime(geoJSON: text))
            try feature.add(time?.milliseconds, of: .time)
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

    /// Handles null, true and false.
    private func takeNothing() throws(FormatError.Reason) {
        switch path.last {
        // Some programs write null for an unknown altitude.
        case .coordinates where numbers.count >= 2: take(number: nil)
        case .coordinates: throw feature.badPosition
        case .times: try feature.add(nil, of: .time)
        case .values(let channel): try feature.add(nil, of: channel)
        default: break
        }
    }

    private func take(number: Decimal?) {
        isInPosition = true
        // RFC 7946 gives no meaning to elements after the altitude.
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
            let time = WrittenTime(geoJSON: text)
            if time == nil { file.passOver(.value) }
            feature.time = feature.properties.note(time) ?? feature.time
        case "ele", "alt", "altitude":
            feature.altitude = Decimal(text)?.altitude ?? feature.altitude
        case "name", "title": feature.properties.name = XMLText.trimmed(text)
        case "desc", "description", "notes": feature.properties.notes = XMLText.trimmed(text)
        case "sport", "activity", "type": feature.properties.sport = XMLText.trimmed(text)
        case "wake:utcOffset" where !isNumber: feature.properties.note(UTCOffset(iso8601: text))
        case "wake:zone" where !isNumber: feature.properties.zone = ZoneName(XMLText.trimmed(text))
        default: break
        }
    }
}

extension WrittenTime {
    /// Parses a time in the forms that programs write: ISO 8601, Unix seconds or milliseconds.
    ///
    /// Numbers from 1e11 are milliseconds: as seconds they would lie after the year 5000.
    fileprivate init?(geoJSON text: [UInt8]) {
        if let written = WrittenTime(iso8601: text) {
            self = written
            return
        }
        guard let count = Decimal(text)?.count(decimals: 3) else { return nil }
        let milliseconds = count >= 100_000_000_000_000 ? count / 1000 : count
        guard let time = UnixTime(milliseconds: milliseconds).writable else { return nil }
        self.init(time: time)
    }
}
