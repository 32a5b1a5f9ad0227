import SyncCore

/// What a recorder takes of the samples that come: not those of a pause, and those after a pause, a
/// gap or a segment's end in the source in a segment of their own.
struct SampleFilter: Sendable {
    /// Longer without a point, and what lies between was not seen.
    static let gapMilliseconds: Int64 = 60_000

    private(set) var segment: Int64
    private(set) var isPaused = false
    /// The least time between the points that are kept, and between the other samples; 0 keeps all.
    private let everyMilliseconds: Int64
    private var lastPoint: UnixTime?
    private var kept = Kept()
    /// The segment of the source that the latest point lay in.
    private var given: Int64?

    /// When the last sample of each kind was kept.
    private struct Kept {
        var point: UnixTime?
        var sensor: UnixTime?
    }

    /// Begins in a segment.
    init(segment: Int64, everyMilliseconds: Int64 = 0) {
        self.segment = segment
        self.everyMilliseconds = everyMilliseconds
    }

    /// The samples to be kept; their segment is this recorder's.
    mutating func take(_ samples: [Sample]) -> [Sample] {
        isPaused ? [] : samples.compactMap { take($0) }
    }

    private mutating func take(_ sample: Sample) -> Sample? {
        if let time = sample.time, sample.coordinate?.isZero == false {
            let source = sample[count: .segment] ?? 0
            let isGap = lastPoint.map { time.milliseconds - $0.milliseconds > Self.gapMilliseconds }
            if isGap == true || (lastPoint != nil && given != source) { segment += 1 }
            (lastPoint, given) = (time, source)
        }
        let last = sample.isPoint ? \Kept.point : \Kept.sensor
        guard !isTooSoon(sample.time, after: kept[keyPath: last]) else { return nil }
        kept[keyPath: last] = sample.time ?? kept[keyPath: last]
        var sample = sample
        sample[count: .segment] = segment
        return sample
    }

    /// A clock that was set back is no reason to keep nothing.
    private func isTooSoon(_ time: UnixTime?, after last: UnixTime?) -> Bool {
        guard let time, let last, everyMilliseconds > 0 else { return false }
        return 0..<everyMilliseconds ~= time.milliseconds - last.milliseconds
    }

    /// From now on nothing is kept.
    mutating func pause() {
        isPaused = true
    }

    /// Goes on in a segment of its own.
    mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        segment += 1
        lastPoint = nil
    }
}
