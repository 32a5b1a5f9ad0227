/// Reads GPX 1.0 and 1.1 piece by piece (https://www.topografix.com/gpx.asp).
///
/// Elements are matched by local name, whatever the prefix. An invalid value in a point's own
/// elements is an error with its line; salvaging skips the point. An extension value that is not a
/// number is counted and ignored.
final class GPXReader: XMLRecording {
    private(set) var file = ImportedFile()
    private var path: [GPXElement] = []
    private var track: ImportedTrack?
    private var comment = ""
    private var point: Sample?
    private var waypoint: ImportedWaypoint?
    /// The number of earlier segments that have samples.
    private var segment: Int64 = 0
    private var segmentIsNew = false
    private var centimetrePrefixes: Set<Substring> = []
    private var elements: [String: GPXElement] = [:]

    private static let knownNamesLimit = 1024
    private static let readingLimit = 256

    private func element(_ name: String) -> GPXElement {
        if let element = elements[name] { return element }
        let element = GPXElement(name, centimetrePrefixes: centimetrePrefixes)
        if elements.count < Self.knownNamesLimit { elements[name] = element }
        return element
    }

    func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormatError.Reason) {
        findCentimetres(attributes)
        let element = element(name)
        guard !path.isEmpty || element == .root else { throw .notThisFormat }
        defer { path.append(element) }
        switch (path.last, element) {
        case (.root, .track): try startTrack()
        case (.root, .waypoint): startWaypoint(attributes)
        case (.root, .route): file.passOver(.route)
        case (.track, .segment): segmentIsNew = true
        case (.segment, .point) where track != nil: point = try Self.point(attributes)
        default: break
        }
    }

    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason) {
        guard let element = path.popLast() else { return }
        if point != nil {
            try endInPoint(element, name: name, text: text)
        } else if waypoint != nil {
            endInWaypoint(element, text: text)
        } else if track != nil {
            endInTrack(element, text: text)
        }
    }

    /// Collects the prefixes that are bound to a Humminbird namespace anywhere in the document.
    private func findCentimetres(_ attributes: [XMLAttribute]) {
        for attribute in attributes where attribute.name.hasPrefix("xmlns:") {
            let namespace = String(decoding: attribute.value, as: UTF8.self).lowercased()
            guard namespace.contains("humminbird") else { continue }
            centimetrePrefixes.insert(attribute.name.dropFirst(6))
            elements.removeAll()
        }
    }
}

/// Tracks and their metadata.
extension GPXReader {
    private func startTrack() throws(FormatError.Reason) {
        guard file.tracks.count < ImportedFile.trackLimit else { throw .tooLarge }
        (track, comment, segment, segmentIsNew) = (ImportedTrack(), "", 0, false)
    }

    private func endInTrack(_ element: GPXElement, text: [UInt8]) {
        switch (path.last, element) {
        case (.track, .name): track?.name = XMLText.trimmed(text)
        case (.track, .sport): track?.sport = XMLText.trimmed(text)
        case (.track, .description): track?.notes = XMLText.trimmed(text)
        case (.track, .comment): comment = XMLText.trimmed(text)
        case (.extensions, .utcOffset): track?.note(UTCOffset(iso8601: XMLText.trimmed(text).utf8))
        case (.extensions, .zone): track?.zone = ZoneName(XMLText.trimmed(text))
        case (.root, .track): endTrack()
        default: break
        }
    }

    func passOverPoint() { point = nil }

    func endTrack() {
        track?.notes.add(comment: comment)
        file.end(&track)
    }
}

/// Places; an invalid place affects neither tracks nor other places.
extension GPXReader {
    private func startWaypoint(_ attributes: [XMLAttribute]) {
        comment = ""
        waypoint = (try? Self.point(attributes))?.coordinate.map { ImportedWaypoint($0) }
        if waypoint == nil { file.take(nil) }
    }

    private func endInWaypoint(_ element: GPXElement, text: [UInt8]) {
        switch (path.last, element) {
        case (.waypoint, .name): waypoint?.name = XMLText.trimmed(text)
        case (.waypoint, .description): waypoint?.notes = XMLText.trimmed(text)
        case (.waypoint, .comment): comment = XMLText.trimmed(text)
        case (.waypoint, .time): waypoint?.time = (try? XMLText.time(text))?.time
        case (.root, .waypoint):
            waypoint?.notes.add(comment: comment)
            file.take(waypoint)
            waypoint = nil
        default: break
        }
    }
}

extension GPXReader {
    private static func point(_ attributes: [XMLAttribute]) throws(FormatError.Reason) -> Sample {
        guard let latitude = attributes["lat"], let longitude = attributes["lon"]
        else { throw .missingCoordinate }
        guard let place = Coordinate(latitude: Decimal(latitude), longitude: Decimal(longitude))
        else { throw .badCoordinate(XMLText.excerpt(latitude) + " " + XMLText.excerpt(longitude)) }
        return Sample(at: place)
    }

    private func endInPoint(
        _ element: GPXElement,
        name: String,
        text: [UInt8]
    ) throws(FormatError.Reason) {
        switch element {
        case .point: endPoint()
        case .time where path.last == .point:
            point?.time = track?.note(try XMLText.time(text))
        case .reading(let channel): try set(channel, channel.decimals, name, text)
        case .depthCentimetres: try set(.depth, Channel.depth.decimals - 2, name, text)
        default: break
        }
    }

    /// Sets a reading unless the channel has one: a point's own elements precede its extensions.
    private func set(
        _ channel: Channel,
        _ decimals: Int,
        _ name: String,
        _ text: [UInt8]
    ) throws(FormatError.Reason) {
        let count =
            try path.last == .point
            ? XMLText.count(text, decimals: decimals, name) : file.count(text, decimals: decimals)
        guard let count, channel > .longitude, point?[count: channel] == nil else { return }
        guard point.map({ $0.readings.count < Self.readingLimit }) ?? true else { throw .tooLarge }
        if channel == .altitude, count.magnitude > ImportedFile.altitudeLimit {
            throw .badNumber(element: name, "\(count)")
        }
        point?[count: channel] = count
    }

    private func endPoint() {
        guard var point else { return }
        if segmentIsNew, track?.samples.isEmpty == false { segment += 1 }
        segmentIsNew = false
        // The first segment needs no number.
        if segment > 0 { point[count: .segment] = segment }
        track?.samples.append(point)
        self.point = nil
    }
}

extension String {
    /// Appends a comment to notes, unless it repeats them.
    fileprivate mutating func add(comment: String) {
        guard !comment.isEmpty, comment != self else { return }
        self += isEmpty ? comment : "\n" + comment
    }
}
