/// Writes KML 2.2 with Google's tracks piece by piece
/// (https://developers.google.com/kml/documentation/kmlreference#gxmultitrack).
///
/// A track is a `Placemark` with a `gx:MultiTrack`, of which each segment is a `gx:Track`: its times,
/// then its places, then an array for each channel. A `gx:Track` cannot hold points without times, so
/// these stand as lines in a `Placemark` of their own, which is marked as a recording where the track
/// has no times at all. A line goes on in the next one, from its last place, before its text is more
/// than readers take; the name (`id`) of such a next one tells so. Readings between points go to points, see ``PointReadings``.
package struct KMLWriter: RecordingWriter {
    private var pieces: TextPieces
    /// Lines so far that go on with the one before.
    private var continuationCount = 0

    package var leftOutCount: Int { 0 }

    /// So many arrays a segment may have: each of them is a way through the samples.
    static let channelLimit = 64
    /// So many places a line may have.
    static let lineLimit = 8192
    /// How the name of a line begins that goes on with the one before; a number makes it unique.
    static let continuation = "wake.continues."

    /// Names that programs know; any other channel has its own.
    private static let names: [Channel: String] = [
        .heartRate: "heartrate", .course: "bearing",
    ]

    /// Begins a document.
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

    private static func name(_ channel: Channel) -> String {
        names[channel] ?? channel.description
    }

    /// Writes one track.
    package mutating func write(_ track: ExportedTrack) throws {
        let timed = try PointCursor(of: track.samples) { $0.writableTime != nil }
        let timeless = try PointCursor(of: track.samples) { $0.writableTime == nil }
        if timed.upcoming != nil || timeless.upcoming == nil {
            startPlacemark(track, isRecorded: false)
            try appendTracks(timed)
            pieces.append("</Placemark>\n")
        }
        if timeless.upcoming != nil {
            startPlacemark(track, isRecorded: timed.upcoming == nil)
            try appendLines(timeless)
            pieces.append("</Placemark>\n")
        }
    }

    /// Ends the document.
    package mutating func finish() throws {
        pieces.append("</Document>\n</kml>\n")
        try pieces.send()
    }
}

/// Segments.
extension KMLWriter {
    private mutating func startPlacemark(_ track: ExportedTrack, isRecorded: Bool) {
        pieces.append("<Placemark>")
        pieces.element("name", track.name)
        pieces.element("description", track.notes)
        let data = [
            ("recorded", isRecorded ? "1" : ""), ("sport", track.sport),
            ("utcOffset", track.start?.offset?.description ?? ""),
            ("zone", track.start?.zone?.text ?? ""),
        ]
        .filter { !$0.1.isEmpty }
        if !data.isEmpty { pieces.append("<ExtendedData>") }
        for (name, value) in data {
            pieces.append("<Data name=\"wake:\(name)\">")
            pieces.element("value", value)
            pieces.append("</Data>")
        }
        pieces.append(data.isEmpty ? "\n" : "</ExtendedData>\n")
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
            channels.formUnion(point.readings.lazy.map(\.channel).filter { $0 > .altitude })
            pieces.element("when", raw: point.writableTime?.iso8601)
            pieces.append("\n")
        }
        let behind = try forEachPoint(cursor) { pieces, point in
            pieces.element("gx:coord", raw: point.place(separator: " "))
            pieces.append("\n")
        }
        try appendArrays(channels.sorted().prefix(Self.channelLimit), of: cursor)
        pieces.append("</gx:Track>\n")
        cursor = behind
    }

    private mutating func appendArrays(
        _ channels: some Collection<Channel>,
        of segment: PointCursor
    ) throws {
        guard !channels.isEmpty else { return }
        pieces.append("<ExtendedData><SchemaData schemaUrl=\"#readings\">\n")
        for channel in channels {
            pieces.append("<gx:SimpleArrayData name=\"\(Self.name(channel))\">\n")
            try forEachPoint(segment) { pieces, point in
                // Empty where there is none, so that the lists stay side by side.
                pieces.element("gx:value", raw: point.decimal(channel) ?? "")
                pieces.append("\n")
            }
            pieces.append("</gx:SimpleArrayData>\n")
        }
        pieces.append("</SchemaData></ExtendedData>\n")
    }

    /// Sends the points of the segment; returns the place behind it.
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
            // A line has two ends.
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
    /// Longitude, latitude and, where it is known, altitude, as KML and GeoJSON order them.
    func place(separator: String) -> String {
        [decimal(.longitude), decimal(.latitude), decimal(.altitude)].compactMap { $0 }
            .joined(separator: separator)
    }
}
