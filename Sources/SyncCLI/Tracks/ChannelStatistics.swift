internal import Glibc
import SyncCore

/// What the readings of one channel add up to.
struct ChannelStatistics: Sendable {
    let channel: Channel
    private(set) var count = 0
    private(set) var least = Double.infinity
    private(set) var greatest = -Double.infinity
    private var sum = 0.0
    private var north = 0.0
    private var east = 0.0

    /// Nothing yet.
    init(channel: Channel) {
        self.channel = channel
    }

    /// Counts one reading, in the channel's unit.
    mutating func add(_ value: Double) {
        count += 1
        sum += value
        least = min(least, value)
        greatest = max(greatest, value)
        guard channel.isCircular else { return }
        north += cos(value * .pi / 180)
        east += sin(value * .pi / 180)
    }

    /// The mean; of directions the mean direction, nil where they point everywhere alike.
    var mean: Double? {
        guard count > 0 else { return nil }
        guard channel.isCircular else { return sum / Double(count) }
        let length = (north * north + east * east).squareRoot() / Double(count)
        guard length > 1e-6 else { return nil }
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// The least and the greatest reading; nil for directions, which have none.
    var range: ClosedRange<Double>? {
        count > 0 && !channel.isCircular ? least...greatest : nil
    }
}

/// The statistics of all channels of a track but for time and place, in their order.
struct ChannelTable: Sendable {
    private(set) var rows: [ChannelStatistics] = []

    /// Counts what a sample tells.
    mutating func add(_ sample: Sample) {
        // Both ascend by channel, so one goes along the other.
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
