/// A track as read from a file.
package struct ImportedTrack: Hashable, Sendable {
    /// The name, or empty.
    package var name: String
    /// The sport, as the file spells it.
    package var sport: String
    package var notes: String
    /// The recording device as the file names it, or empty.
    package var device = ""
    /// The laps that the device counted, in order.
    package var laps: [Lap] = []
    /// Totals as the device reported them.
    package var totals = Totals()
    /// The UTC offset at the start, or nil if the file does not state one.
    package private(set) var offset: UTCOffset?
    /// The time zone at the start; only files that Wake wrote state it.
    package var zone: ZoneName?
    /// The samples in file order.
    ///
    /// The first segment has no `segment` reading; later segments do.
    package var samples: PackedSamples

    package init(
        name: String = "",
        sport: String = "",
        notes: String = "",
        samples: some Sequence<Sample> = []
    ) {
        (self.name, self.sport, self.notes) = (name, sport, notes)
        self.samples = samples as? PackedSamples ?? PackedSamples(samples)
    }

    /// The start with UTC offset and time zone, or nil if no sample has a time.
    ///
    /// This is the earliest plausible time: a receiver's first fix may be decades off, and a log of
    /// several runs may start with a later one.
    package var start: TrackStart? {
        samples.chunks.compactMap(\.summary.filtered?.times?.lowerBound).min()
            .map { TrackStart($0, offset: offset, zone: zone) }
    }

    /// Keeps the first UTC offset of the file, which applies to the track's start.
    mutating func note(_ offset: UTCOffset?) {
        if self.offset == nil { self.offset = offset }
    }

    /// Keeps the time's offset and returns the instant.
    mutating func note(_ written: WrittenTime?) -> UnixTime? {
        note(written?.offset)
        return written?.time
    }

    /// A lap as the device counted it.
    package struct Lap: Hashable, Sendable {
        package var start: UnixTime
        /// The duration, without pauses if the device excludes them.
        package var milliseconds: Int64?
        package var centimetres: Int64?
    }

    /// A device's own totals, kept beside those that Wake computes.
    package struct Totals: Hashable, Sendable {
        /// From start to end.
        package var elapsedMilliseconds: Int64?
        /// While the device's timer ran.
        package var timerMilliseconds: Int64?
        package var centimetres: Int64?
        package var ascentMetres: Int64?
        package var descentMetres: Int64?
        package var kilocalories: Int64?

        /// Adds a session's value to a total, unless it is nil.
        mutating func add(_ count: Int64?, to sum: WritableKeyPath<Totals, Int64?>) {
            guard let count else { return }
            self[keyPath: sum] = (self[keyPath: sum] ?? 0) &+ count
        }
    }
}

/// A named position of a file, apart from its tracks.
package struct ImportedWaypoint: Hashable, Sendable {
    package let position: Coordinate
    /// When somebody was there, or nil for a place without a time.
    package var time: UnixTime?
    /// The name, or empty.
    package var name = ""
    package var notes = ""

    package init(_ position: Coordinate) { self.position = position }
}

/// The tracks and places of an imported file.
package struct ImportedFile: Hashable, Sendable {
    /// The tracks in file order, including tracks without samples.
    package internal(set) var tracks: [ImportedTrack] = []
    /// The places in file order.
    package internal(set) var waypoints: [ImportedWaypoint] = []
    /// The number of skipped items, by kind.
    package internal(set) var passedOver: [PassedOver: Int] = [:]
    /// The error of the first skipped point, if the file was salvaged.
    package internal(set) var fault: FormatError?

    /// Items that are skipped during import.
    package enum PassedOver: Hashable, Sendable, CaseIterable {
        /// A planned route, without times.
        case route
        /// A place that is invalid, over the limit, or in a format whose places are not read.
        case waypoint
        /// A polygon or another shape that is not a line.
        case shape
        /// A value that is not a number or a time, in an extension or property.
        case value
        case badChecksum
        /// A sentence of NMEA 0183 without a checksum.
        case missingChecksum
        /// A line that is not a sentence.
        case line
        /// A time of day without a date.
        case timeOfDay
    }

    /// Larger files are not recordings and would exhaust memory.
    static let trackLimit = 100_000
    /// Further places are counted as skipped.
    private static let waypointLimit = 100_000
    /// In decimetres, above and below zero.
    static let altitudeLimit: UInt64 = 1_000_000
    /// The most laps of a track.
    static let lapLimit = 5000

    /// Adds a place, or counts it as skipped if it is nil or the limit is reached.
    mutating func take(_ waypoint: ImportedWaypoint?) {
        guard let waypoint, waypoints.count < Self.waypointLimit else { return passOver(.waypoint) }
        waypoints.append(waypoint)
    }

    /// Appends a track whose samples are complete, unless it is nil.
    mutating func end(_ track: inout ImportedTrack?) {
        guard var ended = track else { return }
        ended.samples.close()
        tracks.append(ended)
        track = nil
    }

    /// Parses a number of an extension; text that is none counts as skipped unless it is empty.
    mutating func count(_ text: [UInt8], decimals: Int) -> Int64? {
        let count = Decimal(text)?.count(decimals: decimals)
        if count == nil, !text.allSatisfy(\.isWhiteSpace) { passOver(.value) }
        return count
    }

    mutating func passOver(_ what: PassedOver, _ count: Int = 1) {
        guard count > 0 else { return }
        passedOver[what, default: 0] += count
    }
}

/// Reads a recorded file piece by piece.
package protocol RecordingReader {
    /// Parses the next bytes; after an error only `salvage()` may be called.
    mutating func feed(_ bytes: [UInt8]) throws(FormatError)

    /// Returns the content after the last byte, or throws if the file is incomplete or invalid.
    mutating func finish() throws(FormatError) -> ImportedFile

    /// Returns what was read before an error.
    mutating func salvage() -> ImportedFile
}
