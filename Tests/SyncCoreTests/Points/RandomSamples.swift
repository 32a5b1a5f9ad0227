@testable import SyncCore

/// Samples for properties: few channels, many ties and gaps, the extremes now and then.
enum RandomSamples {
    /// Anything that a sample can hold.
    static func any(count: Int, using random: inout SplitMix64) -> [Sample] {
        let channels = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Channel(
                number: UInt16.random(
                    in: 0...(Bool.random(using: &random) ? 30 : .max),
                    using: &random
                )
            )
        }
        return (0..<count).map { _ in
            var sample = Sample()
            for channel in channels where Int.random(in: 0..<4, using: &random) > 0 {
                sample[count: channel] = number(using: &random)
            }
            return sample
        }
    }

    private static func number(using random: inout SplitMix64) -> Int64 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: [.min, .max, 0, -1, .min + 1].randomElement(using: &random) ?? 0
        case 1: Int64.random(in: .min ... .max, using: &random)
        default: Int64.random(in: -100...100, using: &random)
        }
    }

    /// Points as GPX can hold them: in segments that are numbered after the first.
    static func points(count: Int, using random: inout SplitMix64) -> [Sample] {
        let hasSegments = Bool.random(using: &random)
        var segment: Int64 = 0
        return (0..<count).map { index in
            var point = Sample()
            if index == 1 || Int.random(in: 0..<10, using: &random) == 0, index > 0 { segment += 1 }
            if hasSegments, segment > 0 { point[count: .segment] = segment }
            if Bool.random(using: &random) {
                point[count: .time] = Int64.random(
                    in: -1_000_000_000_000...4_000_000_000_000,
                    using: &random
                )
            }
            point[count: .latitude] = Int64.random(in: -900_000_000...900_000_000, using: &random)
            point[count: .longitude] = Int64.random(
                in: -1_800_000_000...1_800_000_000,
                using: &random
            )
            for number in UInt16(4)...40 where Int.random(in: 0..<4, using: &random) == 0 {
                point[count: Channel(number: number)] = Int64.random(
                    in: -100_000...100_000,
                    using: &random
                )
            }
            return point
        }
    }
}
