/// A quantity that a receiver or sensor reports, such as time, latitude or heart rate.
///
/// A reading is an `Int64` count of the channel's resolution; ``Sample/subscript(_:)`` converts it
/// to a `Double`. Samples keep and sync channels with unknown numbers unchanged. The numbers below
/// must therefore never change.
public struct Channel: Hashable, Comparable, Sendable {
    /// The channel's number in the wire format.
    public let number: UInt16

    /// Creates the channel with this number, known to this version or not.
    public init(number: UInt16) { self.number = number }

    /// Orders channels by number, as the columns of a chunk.
    public static func < (left: Channel, right: Channel) -> Bool { left.number < right.number }
}

extension Channel {
    /// The part of a recording that a sample belongs to.
    ///
    /// A pause or a new GPX segment starts the next one.
    public static let segment = Channel(number: 0)
    /// Time, in Unix milliseconds.
    public static let time = Channel(number: 1)
    /// Degrees north, WGS 84, in 1e-7 degrees.
    public static let latitude = Channel(number: 2)
    /// Degrees east, WGS 84, in 1e-7 degrees.
    public static let longitude = Channel(number: 3)
    /// Altitude as the receiver reported it, in 0.1 m.
    public static let altitude = Channel(number: 4)
    /// Speed over ground, in 0.01 m/s.
    public static let speed = Channel(number: 5)
    /// Course over ground, degrees true, in 0.1 degrees.
    public static let course = Channel(number: 6)
    /// Heading, degrees true, in 0.1 degrees.
    public static let headingTrue = Channel(number: 7)
    /// Heading, degrees magnetic, in 0.1 degrees.
    public static let headingMagnetic = Channel(number: 8)
    /// Magnetic variation, east positive, in 0.1 degrees.
    public static let variation = Channel(number: 9)
    /// Heel, to starboard positive, in 0.1 degrees.
    public static let heel = Channel(number: 10)
    /// Pitch, bow up positive, in 0.1 degrees.
    public static let pitch = Channel(number: 11)
    /// Heart rate in beats a minute.
    public static let heartRate = Channel(number: 12)
    /// Cadence in revolutions or steps a minute.
    public static let cadence = Channel(number: 13)
    /// Power in watts.
    public static let power = Channel(number: 14)
    /// Air temperature, in 0.1 degrees Celsius.
    public static let temperature = Channel(number: 15)
    /// Depth of water below the transducer, in 0.1 m.
    public static let depth = Channel(number: 16)
    /// True wind speed, in 0.01 m/s.
    public static let windSpeedTrue = Channel(number: 17)
    /// True wind angle from the bow, clockwise 0 to 360 degrees, in 0.1 degrees.
    public static let windAngleTrue = Channel(number: 18)
    /// Apparent wind speed, in 0.01 m/s.
    public static let windSpeedApparent = Channel(number: 19)
    /// Apparent wind angle from the bow, clockwise 0 to 360 degrees, in 0.1 degrees.
    public static let windAngleApparent = Channel(number: 20)
    /// Horizontal accuracy, in 0.1 m.
    public static let accuracy = Channel(number: 21)
    /// Horizontal dilution of precision, in 0.01.
    public static let dilution = Channel(number: 22)
    /// Satellites in use.
    public static let satellites = Channel(number: 23)
    /// Speed through the water, in 0.01 m/s.
    public static let waterSpeed = Channel(number: 24)
    /// Water temperature, in 0.1 degrees Celsius.
    public static let waterTemperature = Channel(number: 25)
    /// Rudder angle, to starboard positive, in 0.1 degrees.
    public static let rudder = Channel(number: 26)
    /// Air pressure, in 10 Pa (0.1 hPa).
    public static let pressure = Channel(number: 27)
    /// Direction that the true wind blows from, degrees true, in 0.1 degrees.
    public static let windDirectionTrue = Channel(number: 28)
    /// A correction of the receiver's clock, or a warning about it.
    ///
    /// The number of weeks added to the time after a GPS week number rollover. -1 if the receiver's
    /// clock is more than an hour ahead of the recorder's.
    public static let clockMend = Channel(number: 29)
}

extension Channel: CustomStringConvertible {
    /// The names in files and output, and the decimal places of the resolution, by number.
    private static let definitions: [(name: String, decimals: Int)] = [
        ("segment", 0), ("time", 3), ("latitude", 7), ("longitude", 7), ("altitude", 1),
        ("speed", 2), ("course", 1), ("heading-true", 1), ("heading-magnetic", 1), ("variation", 1),
        ("heel", 1), ("pitch", 1), ("heart-rate", 0), ("cadence", 0), ("power", 0),
        ("temperature", 1), ("depth", 1), ("wind-speed-true", 2), ("wind-angle-true", 1),
        ("wind-speed-apparent", 2), ("wind-angle-apparent", 1), ("accuracy", 1), ("dilution", 2),
        ("satellites", 0), ("water-speed", 2), ("water-temperature", 1), ("rudder", 1),
        ("pressure", 1), ("wind-direction-true", 1), ("clock-mend", 0),
    ]

    /// The channels that this version knows, by number.
    public static let known = definitions.indices.map { Channel(number: UInt16($0)) }

    /// The channel's name, or `channel-N` for a number that this version does not know.
    public var description: String {
        number < Self.definitions.count
            ? Self.definitions[Int(number)].name : "channel-\(number)"
    }

    /// Parses ``description``, or returns nil for any other text.
    package init?(named name: some StringProtocol) {
        if let channel = Self.numbers[String(name)] {
            self = channel
            return
        }
        guard name.hasPrefix("channel-"), let number = UInt16(name.dropFirst(8)),
            "channel-\(number)" == name, number >= Self.definitions.count
        else { return nil }
        self.init(number: number)
    }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: known.map { ($0.description, $0) }
    )

    /// The decimal places of one count in the channel's unit; 0 for unknown channels.
    package var decimals: Int {
        number < Self.definitions.count ? Self.definitions[Int(number)].decimals : 0
    }

    /// The number of counts in one unit; 1 for unknown channels.
    public var countsPerUnit: Double { Self.scales[decimals] }

    private static let scales: [Double] = [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7]
}
