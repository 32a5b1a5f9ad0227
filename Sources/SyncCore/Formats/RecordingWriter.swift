/// A track as it is written to a file.
package struct ExportedTrack {
    /// What tells the track from others; empty where nothing does.
    package var id = ""
    /// The name; empty where it has none.
    package var name: String
    /// The kind of sport.
    package var sport: String
    /// Notes for people.
    package var notes: String
    /// What recorded it; empty where nobody said.
    package var device = ""
    /// The laps that the device counted, in their order.
    package var laps: [ImportedTrack.Lap] = []
    /// What the device itself added up.
    package var totals = ImportedTrack.Totals()
    /// When it began, and on which clocks, where that is known.
    package var start: TrackStart?
    /// What its fixes are judged by, where distances are written.
    package var rule: FixRule
    /// The samples, which are read as they are written.
    package var samples: SampleBatches

    /// A track with these parts.
    package init(name: String, sport: String, notes: String, samples: SampleBatches) {
        self.name = name
        self.sport = sport
        rule = FixRule(sport: sport)
        self.notes = notes
        self.samples = samples
    }

    /// A track as a file held it.
    package init(_ track: ImportedTrack) {
        self.init(
            name: track.name,
            sport: track.sport,
            notes: track.notes,
            samples: SampleBatches(track.samples)
        )
        (device, laps, totals) = (track.device, track.laps, track.totals)
        start = track.start
    }
}

/// Writes tracks piece by piece: tracks in, and bytes out.
///
/// A document is begun, then tracks are written, then it is finished; what the sink throws ends it.
package protocol RecordingWriter {
    /// How many points were left out, because the format cannot hold them.
    var leftOutCount: Int { get }

    /// Writes one track.
    mutating func write(_ track: ExportedTrack) throws

    /// Ends the document.
    mutating func finish() throws
}

/// The formats that tracks are written in.
package enum ExportFormat: String, CaseIterable, Sendable {
    case gpx
    case tcx
    case geojson
    case kml
    case csv

    /// Whether it can hold no sample without a time.
    package var needsTimes: Bool { self == .tcx }

    /// How the names of its files end.
    package var fileEnding: String { rawValue }

    /// Begins a document that will have `trackCount` tracks; `sink` gets pieces of about 32 KiB.
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
