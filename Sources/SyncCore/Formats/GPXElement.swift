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
        let local = XMLText.local(name)
        let channel = Self.readings[local] ?? Channel(named: local)
        self = Self.structure[local] ?? channel.map(Self.reading) ?? .other
        guard self == .reading(.depth), local != name else { return }
        let prefix = name.dropLast(local.utf8.count + 1)
        if centimetrePrefixes.contains(prefix) { self = .depthCentimetres }
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

    /// The names of other programs; our own channel names are found without it.
    private static let readings: [String: Channel] = [
        "ele": .altitude, "hr": .heartRate, "heartrate": .heartRate, "bpm": .heartRate,
        "cad": .cadence, "rpm": .cadence, "atemp": .temperature, "temp": .temperature,
        "wtemp": .waterTemperature, "PowerInWatts": .power, "bearing": .course,
        "magvar": .variation, "sat": .satellites, "hdop": .dilution, "hAcc": .accuracy,
        "accuracy_horizontal": .accuracy, "mbar": .pressure, "roll": .heel,
    ]
}
