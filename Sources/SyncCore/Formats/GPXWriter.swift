/// Writes GPX 1.1 piece by piece.
///
/// Only samples with a position become points; other readings are assigned to the nearest point
/// within a second that lacks them, see ``PointReadings``. A new `trkseg` starts where the
/// `segment` reading changes. Readings in Garmin's schemas use Garmin's elements, as most programs
/// do. All other readings, including channels that this version does not know, are elements in the
/// namespace `https://wake.example/gpx/1`, named after the channel and in its unit.
package struct GPXWriter: RecordingWriter {
    private var pieces: TextPieces

    /// Writes a complete document; `sink` receives pieces of about 32 KiB.
    package static func write(
        _ tracks: some Sequence<ImportedTrack>,
        to sink: @escaping ([UInt8]) throws -> Void
    ) throws {
        var writer = GPXWriter(to: sink)
        for track in tracks { try writer.write(ExportedTrack(track)) }
        try writer.finish()
    }

    package init(to sink: @escaping ([UInt8]) throws -> Void) {
        pieces = TextPieces(to: sink)
        pieces.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Wake" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
            xmlns:pwr="http://www.garmin.com/xmlschemas/PowerExtension/v1" \
            xmlns:wake="https://wake.example/gpx/1">\n
            """
        )
    }

    /// Writes places as waypoints; GPX requires them before all tracks.
    package mutating func write(_ places: [Place]) {
        for place in places {
            guard let position = place.position else { continue }
            pieces.append("<wpt lat=\"\(Decimal.text(Int64(position.latitude), decimals: 7))\"")
            pieces.append(" lon=\"\(Decimal.text(Int64(position.longitude), decimals: 7))\">")
            pieces.element("name", place.name ?? "")
            pieces.element("desc", place.notes ?? "")
            pieces.append("</wpt>\n")
        }
    }

    package mutating func write(_ track: ExportedTrack) throws {
        pieces.append("<trk>")
        pieces.element("name", track.name)
        pieces.element("desc", track.notes)
        pieces.element("type", track.sport)
        appendClocks(track.start)
        pieces.append("\n")
        var points = PointReadings(of: track.samples)
        var segment: Int64?
        while let point = try points.next() {
            if point.segment != segment {
                pieces.append(segment == nil ? "<trkseg>\n" : "</trkseg>\n<trkseg>\n")
            }
            segment = point.segment
            append(point)
            try pieces.sendIfFull()
        }
        pieces.append(segment == nil ? "</trk>\n" : "</trkseg>\n</trk>\n")
    }

    /// Times in GPX are UTC, so extensions hold the UTC offset and time zone.
    private mutating func appendClocks(_ start: TrackStart?) {
        guard let start, start.offset != nil || start.zone != nil else { return }
        pieces.append("<extensions>")
        pieces.element("wake:utcOffset", raw: start.offset?.description)
        pieces.element("wake:zone", raw: start.zone?.text)
        pieces.append("</extensions>")
    }

    package mutating func finish() throws {
        pieces.append("</gpx>\n")
        try pieces.send()
    }
}

extension GPXWriter {
    /// In the order of Garmin's schema.
    private static let garmin: [(channel: Channel, name: String)] = [
        (.temperature, "gpxtpx:atemp"), (.waterTemperature, "gpxtpx:wtemp"),
        (.depth, "gpxtpx:depth"), (.heartRate, "gpxtpx:hr"), (.cadence, "gpxtpx:cad"),
        (.speed, "gpxtpx:speed"), (.course, "gpxtpx:course"),
    ]

    /// GPX's own elements, in the order of its schema, after `ele` and `time`.
    private static let own: [(channel: Channel, name: String)] = [
        (.satellites, "sat"), (.dilution, "hdop"),
    ]

    private static let notExtensions = Set(
        [Channel.segment, .time, .latitude, .longitude, .altitude] + own.map(\.channel)
    )

    private static let notOurs = notExtensions.union(garmin.map(\.channel) + [.power])

    private mutating func append(_ point: Sample) {
        pieces.append("<trkpt lat=\"")
        pieces.append(point.decimal(.latitude) ?? "")
        pieces.append("\" lon=\"")
        pieces.append(point.decimal(.longitude) ?? "")
        pieces.append("\">")
        pieces.element("ele", raw: point.decimal(.altitude))
        pieces.element("time", raw: point.writableTime?.iso8601)
        for (channel, name) in Self.own { pieces.element(name, raw: point.decimal(channel)) }
        if point.readings.contains(where: { !Self.notExtensions.contains($0.channel) }) {
            appendExtensions(point)
        }
        pieces.append("</trkpt>\n")
    }

    private mutating func appendExtensions(_ point: Sample) {
        pieces.append("<extensions>")
        appendGarmin(point)
        pieces.element("pwr:PowerInWatts", raw: point.decimal(.power))
        for reading in point.readings where !Self.notOurs.contains(reading.channel) {
            pieces.element("wake:\(reading.channel)", raw: point.decimal(reading.channel))
        }
        pieces.append("</extensions>")
    }

    private mutating func appendGarmin(_ point: Sample) {
        guard Self.garmin.contains(where: { point[count: $0.channel] != nil }) else { return }
        pieces.append("<gpxtpx:TrackPointExtension>")
        for (channel, name) in Self.garmin { pieces.element(name, raw: point.decimal(channel)) }
        pieces.append("</gpxtpx:TrackPointExtension>")
    }
}
