/// Reads GPX piece by piece.
///
/// Elements are known by their local names, whatever the prefix. A point's own elements must be
/// right, or the file is refused with the line; a value in an extension that is no number is
/// counted and missing.
package final class GPXReader {
    private let content = GPXContent()
    private let parser: XMLParser

    /// A reader at the start of a document.
    package init() {
        parser = XMLParser(handler: content)
    }

    /// Reads on.
    ///
    /// After an error there is nothing to be had.
    package func feed(_ bytes: [UInt8]) throws(FormatError) {
        try parser.feed(bytes)
    }

    /// What the document held, now that its root element is closed.
    package func finish() throws(FormatError) -> GPXFile {
        try parser.finish()
        return content.file
    }
}

/// Builds tracks from the elements of a document.
private final class GPXContent: XMLHandler {
    private(set) var file = GPXFile()
    private var path: [GPXElement] = []
    private var track: ImportedTrack?
    private var comment = ""
    private var point: Sample?
    /// The index of the first sample of each segment that has samples.
    private var segmentStarts: [Int] = []
    private var segmentIsNew = false
    private var centimetrePrefixes: Set<Substring> = []
    private var elements: [String: GPXElement] = [:]

    private static let altitudeLimit: Int64 = 1_000_000
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
        switch (path.last, element) {
        case (.root, .track): startTrack()
        case (.root, .waypoint): file.ignoredWaypoints += 1
        case (.root, .route): file.ignoredRoutes += 1
        case (.track, .segment): segmentIsNew = true
        case (.segment, .point) where track != nil: point = try Self.point(attributes)
        default: break
        }
        path.append(element)
    }

    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason) {
        guard let element = path.popLast() else { return }
        if point != nil {
            try endInPoint(element, name: name, text: text)
        } else if track != nil {
            endInTrack(element, text: text)
        }
    }

    /// Names declared anywhere with a Humminbird namespace.
    private func findCentimetres(_ attributes: [XMLAttribute]) {
        for attribute in attributes where attribute.name.hasPrefix("xmlns:") {
            let namespace = String(decoding: attribute.value, as: UTF8.self).lowercased()
            guard namespace.contains("humminbird") else { continue }
            centimetrePrefixes.insert(attribute.name.dropFirst(6))
            elements.removeAll()
        }
    }
}

/// Tracks and their texts.
extension GPXContent {
    private func startTrack() {
        track = ImportedTrack()
        comment = ""
        segmentStarts = []
        segmentIsNew = true
    }

    private func endInTrack(_ element: GPXElement, text: [UInt8]) {
        switch (path.last, element) {
        case (.track, .name): track?.name = Self.text(text)
        case (.track, .sport): track?.sport = Self.text(text)
        case (.track, .description): track?.notes = Self.text(text)
        case (.track, .comment): comment = Self.text(text)
        case (.root, .track): endTrack()
        default: break
        }
    }

    private func endTrack() {
        guard var track else { return }
        if !comment.isEmpty, comment != track.notes {
            track.notes += track.notes.isEmpty ? comment : "\n" + comment
        }
        if segmentStarts.count > 1 {
            let ends = segmentStarts.dropFirst() + [track.samples.count]
            for (segment, (start, end)) in zip(segmentStarts, ends).enumerated() {
                for index in start..<end {
                    track.samples[index][count: .segment] = Int64(segment)
                }
            }
        }
        file.tracks.append(track)
        self.track = nil
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let start = bytes.drop(while: \.isWhiteSpace)
        let end = start.lastIndex { !$0.isWhiteSpace }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }
}

/// Points.
extension GPXContent {
    private static func point(
        _ attributes: [XMLAttribute]
    ) throws(FormatError.Reason) -> Sample {
        guard let latitude = attributes.first(where: { $0.name == "lat" }),
            let longitude = attributes.first(where: { $0.name == "lon" })
        else { throw .missingCoordinate }
        guard let north = Decimal(latitude.value)?.count(decimals: 7),
            let east = Decimal(longitude.value)?.count(decimals: 7),
            Coordinate(latitude: north, longitude: east) != nil
        else {
            let texts = [latitude.value, longitude.value].map { text(Array($0.prefix(40))) }
            throw .badCoordinate(texts.joined(separator: " "))
        }
        return Sample(ascending: [
            Sample.Reading(channel: .latitude, count: north),
            Sample.Reading(channel: .longitude, count: east),
        ])
    }

    private func endInPoint(
        _ element: GPXElement,
        name: String,
        text: [UInt8]
    ) throws(FormatError.Reason) {
        let isOwn = path.last == .point
        switch element {
        case .point: endPoint()
        case .time where isOwn: point?.time = try Self.time(text)
        case .reading(let channel):
            let count = try count(of: channel.decimals, in: text, name: name, isOwn: isOwn)
            try set(channel, count, name: name)
        case .depthCentimetres:
            let count = try count(
                of: Channel.depth.decimals - 2,
                in: text,
                name: name,
                isOwn: isOwn
            )
            try set(.depth, count, name: name)
        default: break
        }
    }

    /// The first value of a channel stays: a point's own elements come before its extensions.
    private func set(_ channel: Channel, _ count: Int64?, name: String) throws(FormatError.Reason) {
        guard let count, channel > .longitude, point?[count: channel] == nil else { return }
        guard point.map({ $0.readings.count < Self.readingLimit }) ?? true else { throw .tooLarge }
        if channel == .altitude, count.magnitude > Self.altitudeLimit.magnitude {
            throw .badNumber(element: name, "\(count)")
        }
        point?[count: channel] = count
    }

    /// An empty element is a missing reading.
    private func count(
        of decimals: Int,
        in text: [UInt8],
        name: String,
        isOwn: Bool
    ) throws(FormatError.Reason) -> Int64? {
        if let count = Decimal(text)?.count(decimals: decimals) { return count }
        guard !text.allSatisfy(\.isWhiteSpace) else { return nil }
        guard !isOwn else {
            throw .badNumber(element: name, Self.text(Array(text.prefix(40))))
        }
        file.unreadableValues += 1
        return nil
    }

    private static func time(_ text: [UInt8]) throws(FormatError.Reason) -> UnixTime? {
        if let time = UnixTime(iso8601: text) { return time }
        guard text.allSatisfy(\.isWhiteSpace) else {
            throw .badTime(Self.text(Array(text.prefix(40))))
        }
        return nil
    }

    private func endPoint() {
        guard let point else { return }
        if segmentIsNew { segmentStarts.append(track?.samples.count ?? 0) }
        segmentIsNew = false
        track?.samples.append(point)
        self.point = nil
    }
}
