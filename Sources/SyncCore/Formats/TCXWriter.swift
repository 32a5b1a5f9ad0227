/// Writes Garmin's Training Center XML version 2 piece by piece
/// (http://www.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd).
///
/// Each track is an activity with the laps that its device counted, or with a single lap. A
/// trackpoint is a sample with a time and with a position or a reading that TCX has: altitude,
/// heart rate, cadence, speed, power. A new segment starts a `Track` of its lap. Points without a
/// time are left out and counted.
///
/// TCX activities have no name, so the name is the first line of the notes. The energy of the whole
/// activity is written in the first lap. Extensions hold the exact name, sport, UTC offset and time
/// zone.
package struct TCXWriter: RecordingWriter {
    private var pieces: TextPieces
    package private(set) var leftOutCount = 0

    package init(to sink: @escaping ([UInt8]) throws -> Void) {
        pieces = TextPieces(to: sink)
        pieces.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <TrainingCenterDatabase \
            xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
            xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xmlns:wake="https://wake.example/tcx/1">
            <Activities>\n
            """
        )
    }

    /// Writes a track, or only counts its points if it has no time at all.
    package mutating func write(_ track: ExportedTrack) throws {
        let trackpoints = try TrackpointCursor(track.samples)
        let laps = Self.laps(of: track, first: trackpoints.upcoming?.writableTime)
        guard let start = laps.first?.start else {
            leftOutCount += trackpoints.untimedCount
            return
        }
        let sport = Self.sport(track.sport)
        pieces.append("<Activity Sport=\"\(sport)\"><Id>\(start.iso8601)</Id>\n")
        try append(laps, trackpoints, kilocalories: track.totals.kilocalories ?? 0, by: track.rule)
        let texts = [track.name, track.notes].filter { !$0.isEmpty }
        pieces.element("Notes", texts.joined(separator: "\n"))
        if !track.device.isEmpty {
            pieces.append("<Creator xsi:type=\"Device_t\">")
            pieces.element("Name", track.device)
            pieces.append(
                "<UnitId>0</UnitId><ProductID>0</ProductID><Version>"
                    + "<VersionMajor>0</VersionMajor><VersionMinor>0</VersionMinor></Version>"
                    + "</Creator>"
            )
        }
        appendExtensions(track)
        pieces.append("</Activity>\n")
    }

    private mutating func appendExtensions(_ track: ExportedTrack) {
        let (offset, zone) = (track.start?.offset, track.start?.zone)
        let isEmpty = track.name.isEmpty && track.sport.isEmpty
        guard !isEmpty || offset != nil || zone != nil else { return }
        pieces.append("<Extensions>")
        pieces.element("wake:name", track.name)
        pieces.element("wake:sport", track.sport)
        pieces.element("wake:utcOffset", raw: offset?.description)
        pieces.element("wake:zone", raw: zone?.text)
        pieces.append("</Extensions>")
    }

    package mutating func finish() throws {
        pieces.append("</Activities>\n</TrainingCenterDatabase>\n")
        try pieces.send()
    }

    /// Maps a sport to TCX's `Running`, `Biking` or `Other`.
    static func sport(_ name: String) -> String {
        let name = name.lowercased()
        if ["run", "jog"].contains(where: name.contains) { return "Running" }
        return ["cycl", "bik", "ride"].contains(where: name.contains) ? "Biking" : "Other"
    }

    /// Returns the device's laps sorted by start, or a single lap if there are none.
    private static func laps(of track: ExportedTrack, first: UnixTime?) -> [ImportedTrack.Lap] {
        let laps = track.laps.filter { $0.start.writable != nil }
            .sorted { $0.start.milliseconds < $1.start.milliseconds }
        guard laps.isEmpty else { return laps }
        return (first ?? track.start?.time.writable).map { [ImportedTrack.Lap(start: $0)] } ?? []
    }
}

extension TCXWriter {
    private mutating func append(
        _ laps: [ImportedTrack.Lap],
        _ trackpoints: TrackpointCursor,
        kilocalories: Int64,
        by rule: FixRule
    ) throws {
        let sums = try LapSum.sums(of: laps, trackpoints, rule)
        var cursor = trackpoints
        var way = TrackpointDistances(trackpoints, rule)
        for (index, (lap, sum)) in zip(laps, sums).enumerated() {
            let seconds = Decimal.text(lap.milliseconds ?? sum.milliseconds, decimals: 3)
            let centimetres = lap.centimetres ?? Self.centimetres(sum.metres)
            pieces.append("<Lap StartTime=\"\(lap.start.iso8601)\">")
            pieces.element("TotalTimeSeconds", raw: seconds)
            pieces.element("DistanceMeters", raw: Decimal.text(centimetres, decimals: 2))
            pieces.element("Calories", raw: "\(UInt16(clamping: index == 0 ? kilocalories : 0))")
            pieces.append("<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>\n")
            let end = index + 1 < laps.count ? laps[index + 1].start : nil
            try appendTracks(&cursor, &way, before: end)
            pieces.append("</Lap>\n")
        }
        leftOutCount += cursor.untimedCount
    }

    private static func centimetres(_ metres: Double) -> Int64 { Int64((metres * 100).rounded()) }

    private mutating func appendTracks(
        _ cursor: inout TrackpointCursor,
        _ way: inout TrackpointDistances,
        before end: UnixTime?
    ) throws {
        var segment: Int64?
        try cursor.forEach(before: end) { sample in
            if sample.segment != segment {
                pieces.append(segment == nil ? "<Track>\n" : "</Track>\n<Track>\n")
            }
            segment = sample.segment
            try way.add(sample)
            append(sample, centimetres: Self.centimetres(way.metres))
            try pieces.sendIfFull()
        }
        if segment != nil { pieces.append("</Track>\n") }
    }

    private mutating func append(_ sample: Sample, centimetres: Int64) {
        pieces.append("<Trackpoint>")
        pieces.element("Time", raw: sample.writableTime?.iso8601)
        if sample.isPoint {
            pieces.append("<Position>")
            pieces.element("LatitudeDegrees", raw: sample.decimal(.latitude))
            pieces.element("LongitudeDegrees", raw: sample.decimal(.longitude))
            pieces.append("</Position>")
        }
        pieces.element("AltitudeMeters", raw: sample.decimal(.altitude))
        if sample.isPoint {
            pieces.element("DistanceMeters", raw: Decimal.text(centimetres, decimals: 2))
        }
        if let rate = sample.decimal(.heartRate, within: 1...255) {
            pieces.append("<HeartRateBpm><Value>\(rate)</Value></HeartRateBpm>")
        }
        pieces.element("Cadence", raw: sample.decimal(.cadence, within: 0...254))
        let speed = sample.decimal(.speed)
        let watts = sample.decimal(.power, within: 0...65_535)
        if speed != nil || watts != nil {
            pieces.append("<Extensions><ns3:TPX>")
            pieces.element("ns3:Speed", raw: speed)
            pieces.element("ns3:Watts", raw: watts)
            pieces.append("</ns3:TPX></Extensions>")
        }
        pieces.append("</Trackpoint>\n")
    }
}

extension Sample {
    /// Formats a reading, or returns nil if its count is outside the range of the schema.
    fileprivate func decimal(_ channel: Channel, within range: ClosedRange<Int64>) -> String? {
        guard let count = self[count: channel], range.contains(count) else { return nil }
        return decimal(channel)
    }
}
