/// Writes GPX 1.1 piece by piece.
///
/// Only samples with a position become points; the readings of the others go to the nearest point
/// within a second that lacks them, see ``PointReadings``. A new `trkseg` begins where the
/// `segment` reading changes. What Garmin's schema names is written as Garmin and most programs
/// do; everything else, channels that this version does not name too, in the namespace
/// `https://wake.example/gpx/1` as elements with the channel's name and unit.
package struct GPXWriter {
    private let sink: ([UInt8]) throws -> Void
    private var buffer: [UInt8] = []

    private static let pieceSize = 32 << 10

    /// Writes a whole document with `tracks`; `sink` gets pieces of about 32 KiB.
    package static func write(
        _ tracks: some Sequence<ImportedTrack>,
        to sink: @escaping ([UInt8]) throws -> Void
    ) throws {
        var writer = GPXWriter(to: sink)
        for track in tracks { try writer.write(track) }
        try writer.finish()
    }

    /// Begins a document.
    package init(to sink: @escaping ([UInt8]) throws -> Void) {
        self.sink = sink
        append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Wake" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
            xmlns:pwr="http://www.garmin.com/xmlschemas/PowerExtension/v1" \
            xmlns:wake="https://wake.example/gpx/1">\n
            """
        )
    }

    /// Writes one track.
    package mutating func write(_ track: ImportedTrack) throws {
        append("<trk>")
        appendElement("name", track.name)
        appendElement("desc", track.notes)
        appendElement("type", track.sport)
        append("\n")
        var segment: Int64?
        for point in PointReadings(of: Array(track.samples)).points {
            let next = point[count: .segment] ?? 0
            if next != segment { append(segment == nil ? "<trkseg>\n" : "</trkseg>\n<trkseg>\n") }
            segment = next
            append(point)
            if buffer.count >= Self.pieceSize { try flush() }
        }
        append(segment == nil ? "</trk>\n" : "</trkseg>\n</trk>\n")
    }

    /// Ends the document.
    package mutating func finish() throws {
        append("</gpx>\n")
        try flush()
    }

    private mutating func flush() throws {
        try sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Elements.
extension GPXWriter {
    /// In the order of Garmin's schema.
    private static let garmin: [(channel: Channel, name: String)] = [
        (.temperature, "gpxtpx:atemp"), (.waterTemperature, "gpxtpx:wtemp"),
        (.depth, "gpxtpx:depth"), (.heartRate, "gpxtpx:hr"), (.cadence, "gpxtpx:cad"),
        (.speed, "gpxtpx:speed"), (.course, "gpxtpx:course"),
    ]

    /// Those of GPX itself, in the order of its schema; the first two come before all others.
    private static let own: [(channel: Channel, name: String)] = [
        (.satellites, "sat"), (.dilution, "hdop"),
    ]

    private static let notExtensions = Set(
        [Channel.segment, .time, .latitude, .longitude, .altitude, .power]
            + garmin.map(\.channel) + own.map(\.channel)
    )

    private mutating func append(_ point: Sample) {
        append("<trkpt lat=\"")
        append(point, .latitude)
        append("\" lon=\"")
        append(point, .longitude)
        append("\">")
        appendReading(point, .altitude, "ele")
        if let time = point.time { append("<time>\(time.iso8601)</time>") }
        for (channel, name) in Self.own { appendReading(point, channel, name) }
        let start = buffer.count
        append("<extensions>")
        let empty = buffer.count
        appendGarmin(point)
        appendReading(point, .power, "pwr:PowerInWatts")
        for reading in point.readings where !Self.notExtensions.contains(reading.channel) {
            appendReading(point, reading.channel, "wake:\(reading.channel)")
        }
        if buffer.count > empty {
            append("</extensions>")
        } else {
            buffer.removeSubrange(start...)
        }
        append("</trkpt>\n")
    }

    private mutating func appendGarmin(_ point: Sample) {
        guard Self.garmin.contains(where: { point[count: $0.channel] != nil }) else { return }
        append("<gpxtpx:TrackPointExtension>")
        for (channel, name) in Self.garmin { appendReading(point, channel, name) }
        append("</gpxtpx:TrackPointExtension>")
    }

    private mutating func appendReading(_ point: Sample, _ channel: Channel, _ name: String) {
        guard point[count: channel] != nil else { return }
        append("<\(name)>")
        append(point, channel)
        append("</\(name)>")
    }

    private mutating func append(_ point: Sample, _ channel: Channel) {
        guard let count = point[count: channel] else { return }
        append(Decimal.text(count, decimals: channel.decimals))
    }

    private mutating func appendElement(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        append("<\(name)>")
        for scalar in text.unicodeScalars { append(scalar) }
        append("</\(name)>")
    }

    /// Escapes what XML gives a meaning, and drops what it cannot hold.
    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "&": append("&amp;")
        case "<": append("&lt;")
        case ">": append("&gt;")
        case "\r": append("&#13;")
        case "\t", "\n": append(String(scalar))
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": break
        default: append(String(scalar))
        }
    }

    private mutating func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
    }
}
