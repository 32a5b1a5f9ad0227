internal import Glibc
import SyncCore

/// Count, mean and extremes of one channel's readings.
struct ChannelStatistics: Sendable {
    let channel: Channel
    private(set) var count = 0
    private(set) var least = Double.infinity
    private(set) var greatest = -Double.infinity
    private var sum = 0.0
    private var north = 0.0
    private var east = 0.0

    init(channel: Channel) { self.channel = channel }

    /// Adds a reading in the channel's unit.
    mutating func add(_ value: Double) {
        count += 1
        sum += value
        least = min(least, value)
        greatest = max(greatest, value)
        guard channel.isCircular else { return }
        north += cos(value * .pi / 180)
        east += sin(value * .pi / 180)
    }

    /// The mean, circular for directions; nil without readings or if the directions cancel out.
    var mean: Double? {
        guard count > 0 else { return nil }
        guard channel.isCircular else { return sum / Double(count) }
        let length = (north * north + east * east).squareRoot() / Double(count)
        guard length > 1e-6 else { return nil }
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// The lowest and highest reading, or nil for directions, which have no extremes.
    var range: ClosedRange<Double>? { count > 0 && !channel.isCircular ? least...greatest : nil }
}

/// The statistics of all channels of a track except time and position, in channel order.
struct ChannelTable: Sendable {
    private(set) var rows: [ChannelStatistics] = []

    mutating func add(_ sample: Sample) {
        // Rows and readings both ascend by channel, so one merge pass suffices.
        var index = 0
        for reading in sample.readings where reading.channel > .longitude {
            while index < rows.count, rows[index].channel < reading.channel { index += 1 }
            if index == rows.count || rows[index].channel != reading.channel {
                rows.insert(ChannelStatistics(channel: reading.channel), at: index)
            }
            rows[index].add(Double(reading.count) / reading.channel.countsPerUnit)
        }
    }
}
