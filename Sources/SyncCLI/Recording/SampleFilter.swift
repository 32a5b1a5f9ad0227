import SyncCore

/// Selects the samples that a recorder keeps and assigns their segments.
///
/// Drops samples during a pause. A pause, a gap or a new segment of the source starts a segment.
struct SampleFilter: Sendable {
    /// The maximum time between points of one segment: a longer way was not observed.
    static let gapMilliseconds: Int64 = 60_000

    private(set) var segment: Int64
    private(set) var isPaused = false
    /// The minimum time between kept points, and between other kept samples; 0 keeps all.
    private let everyMilliseconds: Int64
    private var lastPoint: UnixTime?
    private var kept = Kept()
    /// The source's segment of the latest point.
    private var given: Int64?

    /// The times of the last kept samples of each kind.
    private struct Kept {
        var point: UnixTime?
        var sensor: UnixTime?
    }

    init(segment: Int64, everyMilliseconds: Int64 = 0) {
        self.segment = segment
        self.everyMilliseconds = everyMilliseconds
    }

    /// Returns the samples to keep, with the recorder's own segment numbers.
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

    /// Returns whether a sample follows too soon; after a clock was set back, none does.
    private func isTooSoon(_ time: UnixTime?, after last: UnixTime?) -> Bool {
        guard let time, let last, everyMilliseconds > 0 else { return false }
        return 0..<everyMilliseconds ~= time.milliseconds - last.milliseconds
    }

    mutating func pause() { isPaused = true }

    /// Resumes in a new segment.
    mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        segment += 1
        lastPoint = nil
    }
}
