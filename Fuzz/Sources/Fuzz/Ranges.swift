import SyncCore

/// What readings may be, in counts of their channels.
struct Ranges {
    /// Channels with a range of their own.
    let channels: [Channel: ClosedRange<Int64>]
    /// All others.
    let others: ClosedRange<Int64>

    /// From the year 1 to the end of 9999, which four digits can write.
    private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    private static let latitudes: ClosedRange<Int64> = -900_000_000...900_000_000
    private static let longitudes: ClosedRange<Int64> = -1_800_000_000...1_800_000_000
    private static let circle: ClosedRange<Int64> = 0...3600
    private static let halves: ClosedRange<Int64> = -1800...1800
    private static let speeds: ClosedRange<Int64> = 0...100_000

    /// Of a receiver and a boat's sensors.
    static let receiver = Ranges(
        channels: [
            .segment: 0...0, .time: times, .latitude: latitudes, .longitude: longitudes,
            .altitude: -1_000_000...1_000_000, .speed: speeds, .course: circle,
            .headingTrue: circle, .headingMagnetic: circle, .variation: halves, .heel: halves,
            .pitch: halves, .depth: 0...120_000, .windSpeedTrue: speeds, .windAngleTrue: circle,
            .windSpeedApparent: speeds, .windAngleApparent: circle, .dilution: 0...9900,
            .satellites: 0...200, .waterSpeed: speeds, .waterTemperature: -1000...2000,
        ],
        others: -100_000_000...100_000_000
    )

    /// Of a file, in which a reading is what its writer says.
    static let file = Ranges(
        channels: [
            .time: times, .latitude: latitudes, .longitude: longitudes,
            .altitude: -1_000_000...1_000_000,
        ],
        others: .min ... .max
    )

    /// Ends the process where a reading is out of its range.
    func check(_ sample: Sample) {
        for reading in sample.readings {
            let range = channels[reading.channel] ?? others
            precondition(range.contains(reading.count), "\(reading.channel) is \(reading.count)")
        }
    }
}
