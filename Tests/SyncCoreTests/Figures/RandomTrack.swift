@testable import SyncCore

/// Makes tracks with all that can be wrong in them.
enum RandomTrack {
    /// Mostly a way with sensors, and now and then a time that goes back, a gap of years, a place at
    /// the other end of the Earth, a new segment, or a reading of any size.
    static func samples(seed: UInt64, count: Int) -> [Sample] {
        var random = SplitMix64(seed: seed)
        var time = Walk.start
        var segment: Int64 = 0
        var (latitude, longitude) = (52.0, 5.0)
        return (0..<count).map { _ in
            time += Int64.random(in: 0...3000, using: &random)
            latitude += Double.random(in: -1e-5...3e-5, using: &random)
            longitude += Double.random(in: -1e-5...3e-5, using: &random)
            switch UInt8.random(in: 0...255, using: &random) {
            case 0: time -= 3_600_000
            case 1: time += 100_000_000_000
            case 2: time = Int64.random(in: .min ... .max, using: &random) / 4
            case 3: (latitude, longitude) = (-latitude, longitude > 0 ? longitude - 180 : 5)
            case 4, 5: segment += 1
            case 6: time = Walk.start
            default: break
            }
            var sample = Sample(time: UnixTime(milliseconds: time))
            sample[count: .segment] = segment
            if Bool.random(using: &random) {
                sample[.latitude] = latitude
                sample[.longitude] = longitude
            }
            add(readings, to: &sample, by: &random)
            return sample
        }
    }

    private static let readings: [(Channel, ClosedRange<Int64>)] = [
        (.altitude, 0...5000), (.heartRate, 60...190), (.windAngleTrue, 0...3599),
        (.windAngleApparent, 0...3599), (.headingTrue, 0...3599), (.headingMagnetic, 0...3599),
        (.variation, -300...300), (.accuracy, 0...1100),
    ]

    private static func add(
        _ readings: [(Channel, ClosedRange<Int64>)],
        to sample: inout Sample,
        by random: inout SplitMix64
    ) {
        for (channel, usual) in readings where Bool.random(using: &random) {
            let isHostile = UInt8.random(in: 0...255, using: &random) == 0
            let range = isHostile ? Int64.min ... .max : usual
            sample[count: channel] = Int64.random(in: range, using: &random)
        }
    }
}
