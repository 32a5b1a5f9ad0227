/// A time and the channels that a receiver reported at that time.
///
/// The NMEA sentences of one epoch make one sample. A heel reading between two fixes is a separate
/// sample. A sample with a position is a point. A missing reading is absent, never 0.
public struct Sample: Sendable {
    /// The readings, ascending by channel, each channel at most once.
    public private(set) var readings: Readings

    /// One channel's reading.
    public struct Reading: Hashable, Sendable {
        /// The channel.
        public let channel: Channel
        /// The reading as a count of the channel's resolution.
        public let count: Int64

        /// Creates a reading of `count` times the channel's resolution.
        public init(channel: Channel, count: Int64) {
            (self.channel, self.count) = (channel, count)
        }
    }

    /// Creates a sample without readings at `time`, which is nil only in imported routes.
    public init(time: UnixTime? = nil) {
        readings = Readings(
            own: time.map { [Reading(channel: .time, count: $0.milliseconds)] } ?? []
        )
    }

    /// Creates a sample from readings that are ascending by channel, each channel once.
    package init(ascending readings: [Reading]) {
        assert(zip(readings, readings.dropFirst()).allSatisfy { $0.channel < $1.channel })
        self.readings = Readings(own: readings)
    }

    /// Creates a view of one sample in columns.
    init(viewing columns: [Column], at index: Int) {
        readings = Readings(of: columns, at: index)
    }

    /// The count of a channel, or nil if the receiver reported none.
    public subscript(count channel: Channel) -> Int64? {
        get { readings[channel] }
        set { readings[channel] = newValue }
    }

    /// A reading in the channel's unit (degrees, metres, m/s, …), rounded to its resolution.
    ///
    /// Setting a value that is not finite or does not fit removes the reading.
    public subscript(channel: Channel) -> Double? {
        get { self[count: channel].map { Double($0) / channel.countsPerUnit } }
        set {
            self[count: channel] = newValue.flatMap {
                Int64(exactly: ($0 * channel.countsPerUnit).rounded())
            }
        }
    }

    /// The time of the sample.
    public var time: UnixTime? {
        get { self[count: .time].map(UnixTime.init(milliseconds:)) }
        set { self[count: .time] = newValue?.milliseconds }
    }

    /// The time, or nil outside ``UnixTime/plausible``: differences never overflow.
    var plausibleTime: UnixTime? {
        time.flatMap { UnixTime.plausible.contains($0.milliseconds) ? $0 : nil }
    }

    /// The number of the sample's segment; it is absent in the first one, which is 0.
    package var segment: Int64 { self[count: .segment] ?? 0 }

    /// Whether the sample has both coordinates and they are in range.
    public var isPoint: Bool { coordinate != nil }
}

extension Sample: Hashable {
    /// Whether both have the same readings, wherever they are stored.
    public static func == (left: Sample, right: Sample) -> Bool {
        left.readings.elementsEqual(right.readings)
    }

    /// Hashes the readings.
    public func hash(into hasher: inout Hasher) {
        for reading in readings { hasher.combine(reading) }
    }
}
