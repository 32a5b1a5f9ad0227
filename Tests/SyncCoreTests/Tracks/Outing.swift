@testable import SyncCore

/// One sail as several devices and programs would write it.
struct Outing {
    let samples: [Sample]

    init(seed: UInt64 = 1, start: Int64 = Time.start, seconds: Int = 1800) {
        let start = UnixTime(milliseconds: start)
        samples = SyntheticSail(seed: seed, start: start, seconds: seconds).samples
    }

    /// Another receiver on the same boat: one sample each so many seconds, from some second on, off by
    /// some metres, with times and places alone.
    func seen(
        every step: Int = 1,
        from first: Int = 0,
        offBy metres: Double = 0,
        shifted shift: Int64 = 0
    ) -> [Sample] {
        var generator = SplitMix64(seed: 9)
        return stride(from: first, to: samples.count, by: step).map { index in
            let sample = samples[index]
            var seen = Sample(time: sample.time)
            seen[count: .time] = sample[count: .time].map { $0 + shift }
            for channel in [Channel.latitude, .longitude] {
                let error = metres == 0 ? 0 : Double.random(in: -metres...metres, using: &generator)
                seen[count: channel] = sample[count: channel].map { $0 + Int64(error * 90) }
            }
            return seen
        }
    }

    /// The shift with which samples are like others; nil where they are not.
    static func shift(of mine: [Sample], to others: [Sample]) -> Int64? {
        let times = others.compactMap(\.time)
        guard let marks = TrackMarks(of: mine), let first = times.min(), let last = times.max()
        else { return nil }
        return DuplicateDetector(of: marks, to: first...last) { others.forEach($0) }?
            .shiftMilliseconds
    }
}
