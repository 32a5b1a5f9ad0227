/// Writes GeoJSON (RFC 7946) piece by piece: a feature collection with one feature a track.
///
/// A track of one segment is a `LineString`; a track of several is a `MultiLineString`. A line
/// needs at least two positions, so a track of one point is a `Point`, and a track of several
/// segments of which at least one has a single point is a `GeometryCollection`. Times and readings
/// are lists in `coordinateProperties`, aligned with the coordinates; a track of several segments
/// has a list for each. Readings between points are assigned to points, see ``PointReadings``.
package struct GeoJSONWriter: RecordingWriter {
    private var pieces: TextPieces
    private var isFirst = true

    package init(to sink: @escaping ([UInt8]) throws -> Void) {
        pieces = TextPieces(to: sink)
        pieces.append("{\"type\":\"FeatureCollection\",\"features\":[")
    }

    package mutating func write(_ track: ExportedTrack) throws {
        let shape = try TrackShape(of: track.samples)
        pieces.append(isFirst ? "\n" : ",\n")
        isFirst = false
        pieces.append("{\"type\":\"Feature\",\"geometry\":")
        try appendGeometry(of: track, shape)
        pieces.append(",\n\"properties\":{")
        let start = track.start?.time.writable ?? shape.firstTime
        let texts = [
            ("id", track.id), ("name", track.name), ("sport", track.sport), ("notes", track.notes),
            ("device", track.device), ("time", start?.iso8601 ?? ""),
            ("wake:utcOffset", track.start?.offset?.description ?? ""),
            ("wake:zone", track.start?.zone?.text ?? ""),
        ]
        for (name, text) in texts where !text.isEmpty {
            pieces.append("\"\(name)\":")
            pieces.json(text)
            pieces.append(",")
        }
        pieces.append("\"coordinateProperties\":{")
        try appendReadings(of: track, shape)
        pieces.append("}}}")
    }

    package mutating func finish() throws {
        pieces.append("\n]}\n")
        try pieces.send()
    }
}

/// The properties of a track that a writer needs before the first point.
private struct TrackShape {
    private(set) var pointCount = 0
    private(set) var segmentCount = 0
    private(set) var hasLonePoint = false
    private(set) var firstTime: UnixTime?
    private(set) var channels: Set<Channel> = []

    init(of samples: SampleBatches) throws {
        var cursor = try PointCursor(of: samples)
        while cursor.upcoming != nil {
            let before = pointCount
            try cursor.segment { add($0) }
            segmentCount += 1
            hasLonePoint = hasLonePoint || pointCount == before + 1
        }
    }

    private mutating func add(_ point: Sample) {
        pointCount += 1
        firstTime = firstTime ?? point.writableTime
        for reading in point.readings where reading.channel > .altitude {
            channels.insert(reading.channel)
        }
    }
}

extension GeoJSONWriter {
    private mutating func appendGeometry(of track: ExportedTrack, _ shape: TrackShape) throws {
        switch (shape.segmentCount, shape.hasLonePoint) {
        case (0, _): pieces.append("null")
        case (1, _): try appendGeometries(of: track)
        case (_, true):
            pieces.append("{\"type\":\"GeometryCollection\",\"geometries\":[")
            try appendGeometries(of: track)
            pieces.append("]}")
        default:
            pieces.append("{\"type\":\"MultiLineString\",\"coordinates\":[")
            try appendLists(of: track) { "[\($0.place(separator: ","))]" }
            pieces.append("]}")
        }
    }

    /// Writes one geometry a segment.
    private mutating func appendGeometries(of track: ExportedTrack) throws {
        var cursor = try PointCursor(of: track.samples)
        var separator = ""
        while cursor.upcoming != nil {
            let isPoint = try cursor.isAtLonePoint
            let type = isPoint ? "Point" : "LineString"
            pieces.append("\(separator){\"type\":\"\(type)\",\"coordinates\":\(isPoint ? "" : "[")")
            try appendList(&cursor) { "[\($0.place(separator: ","))]" }
            pieces.append(isPoint ? "}" : "]}")
            separator = ","
        }
    }

    private mutating func appendReadings(of track: ExportedTrack, _ shape: TrackShape) throws {
        var separator = ""
        func start(_ name: String) -> String {
            defer { separator = ",\n" }
            return "\(separator)\"\(name)\":\(shape.segmentCount > 1 ? "[" : "")"
        }
        let end = shape.segmentCount > 1 ? "]" : ""
        if shape.firstTime != nil {
            pieces.append(start("times"))
            try appendLists(of: track) { $0.writableTime.map { "\"\($0.iso8601)\"" } }
            pieces.append(end)
        }
        for channel in shape.channels.sorted().prefix(SampleColumns.readingLimit) {
            pieces.append(start(channel.description))
            try appendLists(of: track) { $0.decimal(channel) }
            pieces.append(end)
        }
    }

    /// Writes one comma-separated list a segment.
    private mutating func appendLists(
        of track: ExportedTrack,
        _ value: (Sample) -> String?
    ) throws {
        var cursor = try PointCursor(of: track.samples)
        var separator = "["
        while cursor.upcoming != nil {
            pieces.append(separator)
            try appendList(&cursor, value)
            pieces.append("]")
            separator = ",\n["
        }
    }

    /// Writes the comma-separated values of one segment's points, with `null` for nil.
    private mutating func appendList(
        _ cursor: inout PointCursor,
        _ value: (Sample) -> String?
    ) throws {
        var separator = ""
        try cursor.segment { point in
            pieces.append(separator)
            pieces.append(value(point) ?? "null")
            separator = ","
            try pieces.sendIfFull()
        }
    }
}
