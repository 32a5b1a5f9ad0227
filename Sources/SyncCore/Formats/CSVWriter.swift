/// Writes all samples, with or without a position, as CSV (RFC 4180) piece by piece.
///
/// Each sample is a line and each channel a column. The columns are always the same, and their
/// names include the unit. The last column holds readings of channels that this version does not
/// know, such as `channel-40=12`. Lines end with CR LF. No column holds text that a person wrote,
/// so a spreadsheet cannot mistake it for a formula.
package struct CSVWriter: RecordingWriter {
    private var pieces: TextPieces
    private let namesTracks: Bool
    private var trackCount = 0

    private static let units: [Channel: String] = [
        .latitude: "degrees", .longitude: "degrees", .altitude: "metres",
        .speed: "metres_per_second", .course: "degrees", .headingTrue: "degrees",
        .headingMagnetic: "degrees", .variation: "degrees", .heel: "degrees", .pitch: "degrees",
        .heartRate: "per_minute", .cadence: "per_minute", .power: "watts",
        .temperature: "celsius", .depth: "metres", .windSpeedTrue: "metres_per_second",
        .windAngleTrue: "degrees", .windSpeedApparent: "metres_per_second",
        .windAngleApparent: "degrees", .accuracy: "metres", .waterSpeed: "metres_per_second",
        .waterTemperature: "celsius", .rudder: "degrees", .pressure: "hectopascals",
    ]

    private static let columns = Channel.known.filter { $0 > .time }

    /// Starts a document.
    ///
    /// With `namesTracks` the first column is the track's id, or its number if it has no id.
    package init(namesTracks: Bool, to sink: @escaping ([UInt8]) throws -> Void) {
        self.namesTracks = namesTracks
        pieces = TextPieces(to: sink)
        let names =
            (namesTracks ? ["track"] : []) + ["time", "segment"]
            + Self.columns.map(Self.name) + ["other"]
        pieces.append(names.joined(separator: ",") + "\r\n")
    }

    private static func name(_ channel: Channel) -> String {
        let name = channel.description.split(separator: "-").joined(separator: "_")
        return units[channel].map { "\(name)_\($0)" } ?? name
    }

    package mutating func write(_ track: ExportedTrack) throws {
        trackCount += 1
        let name = track.id.isEmpty ? "\(trackCount)" : track.id
        var samples = track.samples.cursor
        while let sample = try samples.next() {
            if namesTracks { pieces.append(name + ",") }
            append(sample)
            try pieces.sendIfFull()
        }
    }

    private mutating func append(_ sample: Sample) {
        pieces.append(sample.writableTime?.iso8601 ?? "")
        pieces.append(",\(sample.segment)")
        for column in Self.columns {
            pieces.append(",")
            if let number = sample.decimal(column) { pieces.append(number) }
        }
        let others = sample.readings.filter { $0.channel.number >= Channel.known.count }
        pieces.append("," + others.map { "\($0.channel)=\($0.count)" }.joined(separator: " "))
        pieces.append("\r\n")
    }

    package mutating func finish() throws { try pieces.send() }
}
