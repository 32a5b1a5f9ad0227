/// Writes KML 2.2 with Google's track extension piece by piece
/// (https://developers.google.com/kml/documentation/kmlreference#gxmultitrack).
///
/// A track is a `Placemark` with a `gx:MultiTrack`. Each segment is a `gx:Track`: times, then
/// positions, then one array a channel. A point without a time has an empty `when`, because the
/// lists must have equal length.
///
/// A track without any time becomes lines, which programs display. Its `Placemark` is marked as a
/// recording and holds the arrays of the whole track. A long line is split, because readers limit
/// the length of a text: the next line repeats the last position, and its `id` marks it as a
/// continuation. Readings between points are assigned to points, see ``PointReadings``.
package struct KMLWriter: RecordingWriter {
    private var pieces: TextPieces
    /// Continuation lines written so far.
    private var continuationCount = 0

    /// The most positions in one line.
    static let lineLimit = 8192
    /// The prefix of a continuation line's `id`; a number makes the `id` unique.
    static let continuation = "wake.continues."

    /// Names that other programs know; other channels use their own names.
    private static let names: [Channel: String] = [.heartRate: "heartrate", .course: "bearing"]

    package init(to sink: @escaping ([UInt8]) throws -> Void) {
        pieces = TextPieces(to: sink)
        pieces.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" \
            xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>
            <Schema id="readings">\n
            """
        )
        for channel in Channel.known where channel > .altitude {
            let name = Self.name(channel)
            pieces.append("<gx:SimpleArrayField name=\"\(name)\" type=\"float\"/>\n")
        }
        pieces.append("</Schema>\n")
    }

    private static func name(_ channel: Channel) -> String { names[channel] ?? channel.description }

    package mutating func write(_ track: ExportedTrack) throws {
        let start = try PointCursor(of: track.samples)
        var hasTime = false
        var channels: Set<Channel> = []
        var points = PointReadings(of: track.samples)
        while !hasTime, let point = try points.next() {
            hasTime = point.writableTime != nil
            channels.formUnion(Self.readings(of: point))
        }
        let isLines = start.upcoming != nil && !hasTime
        pieces.append("<Placemark>")
        pieces.element("name", track.name)
        pieces.element("description", track.notes)
        pieces.append("<ExtendedData>")
        appendData(track, isRecorded: isLines)
        if isLines { try appendArrays(channels, of: start, isWhole: true) }
        pieces.append("</ExtendedData>\n")
        if isLines { try appendLines(start) } else { try appendTracks(start) }
        pieces.append("</Placemark>\n")
    }

    package mutating func finish() throws {
        pieces.append("</Document>\n</kml>\n")
        try pieces.send()
    }
}

/// Segments.
extension KMLWriter {
    private static func readings(of point: Sample) -> [Channel] {
        point.readings.map(\.channel).filter { $0 > .altitude }
    }

    private mutating func appendData(_ track: ExportedTrack, isRecorded: Bool) {
        let data = [
            ("recorded", isRecorded ? "1" : ""), ("sport", track.sport),
            ("utcOffset", track.start?.offset?.description ?? ""),
            ("zone", track.start?.zone?.text ?? ""),
        ]
        for (name, value) in data where !value.isEmpty {
            pieces.append("<Data name=\"wake:\(name)\">")
            pieces.element("value", value)
            pieces.append("</Data>")
        }
    }

    private mutating func appendTracks(_ start: PointCursor) throws {
        pieces.append("<gx:MultiTrack>\n")
        var cursor = start
        while cursor.upcoming != nil { try appendTrack(&cursor) }
        pieces.append("</gx:MultiTrack>\n")
    }

    private mutating func appendTrack(_ cursor: inout PointCursor) throws {
        var channels: Set<Channel> = []
        pieces.append("<gx:Track>\n<altitudeMode>absolute</altitudeMode>\n")
        try forEachPoint(cursor) { pieces, point in
            channels.formUnion(Self.readings(of: point))
            pieces.element("when", raw: point.writableTime?.iso8601 ?? "")
            pieces.append("\n")
        }
        let behind = try forEachPoint(cursor) { pieces, point in
            pieces.element("gx:coord", raw: point.place(separator: " "))
            pieces.append("\n")
        }
        if !channels.isEmpty {
            pieces.append("<ExtendedData>")
            try appendArrays(channels, of: cursor, isWhole: false)
            pieces.append("</ExtendedData>\n")
        }
        pieces.append("</gx:Track>\n")
        cursor = behind
    }

    /// Writes arrays for one segment, or for the rest of the track if `isWhole`.
    private mutating func appendArrays(
        _ channels: Set<Channel>,
        of start: PointCursor,
        isWhole: Bool
    ) throws {
        guard !channels.isEmpty else { return }
        pieces.append("<SchemaData schemaUrl=\"#readings\">\n")
        for channel in channels.sorted().prefix(SampleColumns.readingLimit) {
            pieces.append("<gx:SimpleArrayData name=\"\(Self.name(channel))\">\n")
            var cursor = start
            repeat {
                cursor = try forEachPoint(cursor) { pieces, point in
                    // An empty value keeps the lists aligned.
                    pieces.element("gx:value", raw: point.decimal(channel) ?? "")
                    pieces.append("\n")
                }
            } while isWhole && cursor.upcoming != nil
            pieces.append("</gx:SimpleArrayData>\n")
        }
        pieces.append("</SchemaData>")
    }

    /// Writes the points of one segment and returns the cursor behind it.
    @discardableResult
    private mutating func forEachPoint(
        _ start: PointCursor,
        _ body: (inout TextPieces, Sample) -> Void
    ) throws -> PointCursor {
        var cursor = start
        try cursor.segment { point in
            body(&pieces, point)
            try pieces.sendIfFull()
        }
        return cursor
    }

    private mutating func appendLines(_ start: PointCursor) throws {
        pieces.append("<MultiGeometry>\n")
        var cursor = start
        while cursor.upcoming != nil {
            // A `LineString` needs at least two positions.
            let name = try cursor.isAtLonePoint ? "Point" : "LineString"
            let head = "><altitudeMode>absolute</altitudeMode><coordinates>\n"
            let end = "</coordinates></\(name)>\n"
            var (count, latest, number) = (0, "", continuationCount)
            pieces.append("<\(name)" + head)
            cursor = try forEachPoint(cursor) { pieces, point in
                if count == Self.lineLimit {
                    number += 1
                    let id = " id=\"\(Self.continuation)\(number)\""
                    pieces.append(end + "<\(name)" + id + head + latest)
                    count = 1
                }
                latest = point.place(separator: ",") + "\n"
                pieces.append(latest)
                count += 1
            }
            pieces.append(end)
            continuationCount = number
        }
        pieces.append("</MultiGeometry>\n")
    }
}

extension Sample {
    /// Longitude, latitude and altitude if known, in the order of KML and GeoJSON.
    func place(separator: String) -> String {
        [decimal(.longitude), decimal(.latitude), decimal(.altitude)].compactMap { $0 }
            .joined(separator: separator)
    }
}
