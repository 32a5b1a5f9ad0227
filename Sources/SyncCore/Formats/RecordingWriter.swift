/// A track to be written to a file.
package struct ExportedTrack {
    /// Identifies the track among others, or empty if unknown.
    package var id = ""
    /// The name, or empty.
    package var name: String
    package var sport: String
    package var notes: String
    /// The recording device, or empty if unknown.
    package var device = ""
    /// The laps that the device counted, in order.
    package var laps: [ImportedTrack.Lap] = []
    /// Totals as the device reported them.
    package var totals = ImportedTrack.Totals()
    /// The start with UTC offset and time zone, or nil if unknown.
    package var start: TrackStart?
    /// The outlier rule for computing distances.
    package var rule: FixRule
    /// Loaded lazily, batch by batch, during writing.
    package var samples: SampleBatches

    package init(name: String, sport: String, notes: String, samples: SampleBatches) {
        (self.name, self.sport, self.notes, self.samples) = (name, sport, notes, samples)
        rule = FixRule(sport: sport)
    }

    package init(_ track: ImportedTrack) {
        self.init(
            name: track.name,
            sport: track.sport,
            notes: track.notes,
            samples: SampleBatches(track.samples)
        )
        (device, laps, totals, start) = (track.device, track.laps, track.totals, track.start)
    }
}

/// Writes tracks to a document piece by piece.
///
/// Call the initializer, then `write(_:)` for each track, then `finish()`. An error from the sink
/// is rethrown and ends the document.
package protocol RecordingWriter {
    /// The number of points left out because the format cannot hold them.
    var leftOutCount: Int { get }

    mutating func write(_ track: ExportedTrack) throws

    /// Writes the end of the document and sends what is buffered.
    mutating func finish() throws
}

extension RecordingWriter {
    package var leftOutCount: Int { 0 }
}

/// The formats in which tracks are exported.
package enum ExportFormat: String, CaseIterable, Sendable {
    case gpx
    case tcx
    case geojson
    case kml
    case csv

    /// Whether the format requires a time for every sample.
    package var needsTimes: Bool { self == .tcx }

    /// The file name extension.
    package var fileEnding: String { rawValue }

    /// Starts a document of `trackCount` tracks; `sink` receives pieces of about 32 KiB.
    package func writer(
        trackCount: Int,
        to sink: @escaping ([UInt8]) throws -> Void
    ) -> any RecordingWriter {
        switch self {
        case .gpx: GPXWriter(to: sink)
        case .tcx: TCXWriter(to: sink)
        case .geojson: GeoJSONWriter(to: sink)
        case .kml: KMLWriter(to: sink)
        case .csv: CSVWriter(namesTracks: trackCount > 1, to: sink)
        }
    }
}
