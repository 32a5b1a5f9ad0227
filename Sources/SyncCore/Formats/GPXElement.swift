/// A kind of GPX element, found by its local name.
///
/// The table lists names that real receivers and programs write.
enum GPXElement: Hashable {
    case root
    case track
    case segment
    case point
    case waypoint
    case route
    case name
    case sport
    case description
    case comment
    case time
    case extensions
    case utcOffset
    case zone
    case reading(Channel)
    /// Humminbird writes depth in centimetres.
    case depthCentimetres
    case other

    /// Finds the element for a qualified name.
    init(_ name: String, centimetrePrefixes: Set<Substring>) {
        let local = name.utf8.lastIndex(of: UInt8(ascii: ":")).map { name[$0...].dropFirst() }
        let element = Self.named[local.map(String.init) ?? name]
        self = element ?? Channel(named: local ?? name[...]).map(Self.reading) ?? .other
        guard self == .reading(.depth), let local else { return }
        let prefix = name.dropLast(local.utf8.count + 1)
        if centimetrePrefixes.contains(prefix) { self = .depthCentimetres }
    }

    private static let named: [String: GPXElement] = structure.merging(readings) { first, _ in
        first
    }

    private static let structure: [String: GPXElement] = [
        "gpx": .root, "trk": .track, "trkseg": .segment, "trkpt": .point, "wpt": .waypoint,
        "rte": .route, "name": .name, "type": .sport, "desc": .description, "cmt": .comment,
        "time": .time, "extensions": .extensions, "utcOffset": .utcOffset, "zone": .zone,
        // Our channel names, which GPX stores in attributes and `ele` instead.
        "latitude": .other, "longitude": .other, "altitude": .other,
        // Frequent and without meaning here; listing it saves the search for a channel.
        "TrackPointExtension": .other,
    ]

    private static let readings: [String: GPXElement] = [
        "ele": .reading(.altitude),
        "hr": .reading(.heartRate), "heartrate": .reading(.heartRate),
        "bpm": .reading(.heartRate),
        "cad": .reading(.cadence), "cadence": .reading(.cadence), "rpm": .reading(.cadence),
        "atemp": .reading(.temperature), "temp": .reading(.temperature),
        "wtemp": .reading(.waterTemperature),
        "depth": .reading(.depth),
        "power": .reading(.power), "PowerInWatts": .reading(.power),
        "speed": .reading(.speed),
        "course": .reading(.course), "bearing": .reading(.course),
        "magvar": .reading(.variation),
        "sat": .reading(.satellites), "hdop": .reading(.dilution),
        "hAcc": .reading(.accuracy), "accuracy_horizontal": .reading(.accuracy),
        "mbar": .reading(.pressure),
        "roll": .reading(.heel),
    ]
}
