/// A track as a file holds it.
package struct ImportedTrack: Hashable, Sendable {
    /// The name; empty when the file has none.
    package var name: String
    /// The kind of sport, as the file spells it.
    package var sport: String
    /// Notes for people.
    package var notes: String
    /// What recorded it, as the file names it; empty when the file does not.
    package var device = ""
    /// The laps that the device counted, in their order.
    package var laps: [Lap] = []
    /// What the device itself added up.
    package var totals = Totals()
    /// How far the clocks were ahead of UTC where it was recorded; nil where the file does not tell.
    package private(set) var offset: UTCOffset?
    /// The time zone there; only files of our own tell it.
    package var zone: ZoneName?
    /// The samples in the file's order.
    ///
    /// The `segment` reading is there from the second part of the track on.
    package var samples: PackedSamples

    /// A track with these parts.
    package init(
        name: String = "",
        sport: String = "",
        notes: String = "",
        samples: some Sequence<Sample> = []
    ) {
        self.name = name
        self.sport = sport
        self.notes = notes
        self.samples = samples as? PackedSamples ?? PackedSamples(samples)
    }

    /// When it began, and what the clocks showed; nil where no sample has a time.
    ///
    /// The earliest time that can be gone by, as in the list: a receiver's first fix may be decades off,
    /// and a log of several runs may begin with a later one.
    package var start: TrackStart? {
        samples.chunks.compactMap(\.summary.believedTimes?.lowerBound).min()
            .map { TrackStart($0, offset: offset, zone: zone) }
    }

    /// Of several offsets that a file tells, the first is that of the track's start.
    mutating func note(_ offset: UTCOffset?) {
        if self.offset == nil { self.offset = offset }
    }

    /// Notes the offset of a time that the file has; returns the instant.
    mutating func note(_ written: WrittenTime?) -> UnixTime? {
        note(written?.offset)
        return written?.time
    }

    /// One lap as the device counted it.
    package struct Lap: Hashable, Sendable {
        /// When it began.
        package var start: UnixTime
        /// Milliseconds, without pauses where the device leaves those out.
        package var milliseconds: Int64?
        /// Centimetres.
        package var centimetres: Int64?

        package init(start: UnixTime, milliseconds: Int64? = nil, centimetres: Int64? = nil) {
            self.start = start
            self.milliseconds = milliseconds
            self.centimetres = centimetres
        }
    }

    /// A device's own sums, kept beside ours.
    package struct Totals: Hashable, Sendable {
        /// Milliseconds from start to end.
        package var elapsedMilliseconds: Int64?
        /// Milliseconds while the device's timer ran.
        package var timerMilliseconds: Int64?
        /// Centimetres.
        package var centimetres: Int64?
        /// Metres upward.
        package var ascentMetres: Int64?
        /// Metres downward.
        package var descentMetres: Int64?
        /// Kilocalories.
        package var kilocalories: Int64?

        package init() {}

        /// Adds a part's figure, where it has one.
        mutating func add(_ count: Int64?, to sum: WritableKeyPath<Totals, Int64?>) {
            guard let count else { return }
            self[keyPath: sum] = (self[keyPath: sum] ?? 0) &+ count
        }
    }
}

/// A place of a file, apart from its tracks.
package struct ImportedWaypoint: Hashable, Sendable {
    /// Where.
    package let position: Coordinate
    /// When somebody was there; nil for a place at no time.
    package var time: UnixTime?
    /// The name; empty when the file has none.
    package var name = ""
    /// Notes for people.
    package var notes = ""

    /// A place without a name.
    package init(_ position: Coordinate) {
        self.position = position
    }

    /// Adds a comment that says something else than the notes.
    mutating func add(comment: String) {
        guard !comment.isEmpty, comment != notes else { return }
        notes += notes.isEmpty ? comment : "\n" + comment
    }
}

/// What a file held, in whichever format it is.
package struct ImportedFile: Hashable, Sendable {
    /// The tracks in the file's order; one without samples too.
    package internal(set) var tracks: [ImportedTrack] = []
    /// The places in the file's order.
    package internal(set) var waypoints: [ImportedWaypoint] = []
    /// How much of it is no part of a track, and no place.
    package internal(set) var passedOver: [PassedOver: Int] = [:]
    /// What is wrong with the first point that was left out of a file that was salvaged.
    package internal(set) var fault: FormatError?

    /// What a file may have besides.
    package enum PassedOver: Hashable, Sendable, CaseIterable {
        /// A way that is planned, without times.
        case route
        /// A place without a position that there is, or of a format whose places are not read.
        case waypoint
        /// An area or another shape that is no way.
        case shape
        /// A value in an extension that is no number.
        case value
        /// A sentence of NMEA 0183 with a wrong checksum.
        case badChecksum
        /// A sentence of NMEA 0183 without one.
        case missingChecksum
        /// A line that is no sentence.
        case line
        /// A time of day of which no sentence tells the date.
        case timeOfDay
    }

    /// More is no recording, and would take memory for nothing.
    static let trackLimit = 100_000
    /// More places are passed over.
    private static let waypointLimit = 100_000
    /// Tenths of a metre, upward and downward.
    static let altitudeLimit: UInt64 = 1_000_000
    /// So many laps a track may have.
    static let lapLimit = 5000

    init() {}

    /// Takes a place; nil stands for one that cannot be read.
    mutating func take(_ waypoint: ImportedWaypoint?) {
        guard let waypoint, waypoints.count < Self.waypointLimit else { return passOver(.waypoint) }
        waypoints.append(waypoint)
    }

    mutating func passOver(_ what: PassedOver, _ count: Int = 1) {
        guard count > 0 else { return }
        passedOver[what, default: 0] += count
    }
}

/// Reads a recording piece by piece: bytes in, and at the end what they held.
package protocol RecordingReader {
    /// Reads on; after an error there is nothing to be had.
    mutating func feed(_ bytes: [UInt8]) throws(FormatError)

    /// What the file held, now that it has ended.
    mutating func finish() throws(FormatError) -> ImportedFile

    /// What was read before an error.
    mutating func salvage() -> ImportedFile
}
