/// A track as a file holds it.
package struct ImportedTrack: Hashable, Sendable {
    /// The name; empty when the file has none.
    package var name: String
    /// The kind of sport, as the file spells it.
    package var sport: String
    /// Notes for people.
    package var notes: String
    /// The samples in the file's order.
    ///
    /// The `segment` reading is there when the track has more than one.
    package var samples: [Sample]

    /// A track with these parts.
    package init(name: String = "", sport: String = "", notes: String = "", samples: [Sample] = [])
    {
        self.name = name
        self.sport = sport
        self.notes = notes
        self.samples = samples
    }
}

/// What a GPX document holds, versions 1.0 and 1.1 (https://www.topografix.com/gpx.asp).
package struct GPXFile: Hashable, Sendable {
    /// The tracks in the file's order; one without points too.
    package internal(set) var tracks: [ImportedTrack] = []
    /// How many routes were passed over.
    package internal(set) var ignoredRoutes = 0
    /// How many waypoints were passed over.
    package internal(set) var ignoredWaypoints = 0
    /// How many extension values were no numbers, and are missing now.
    package internal(set) var unreadableValues = 0

    init() {}

    /// Reads a whole document; all of it, or an error.
    package init(parsing document: [UInt8]) throws(FormatError) {
        let reader = GPXReader()
        try reader.feed(document)
        self = try reader.finish()
    }
}
