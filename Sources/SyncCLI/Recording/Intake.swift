import SyncCore

/// What a recorder takes of the samples that come: not those of a pause, and those after a pause or
/// a gap in a segment of their own.
struct Intake: Sendable {
    /// Longer without a point, and what lies between was not seen.
    static let gapMilliseconds: Int64 = 60_000

    private(set) var segment: Int64
    private(set) var isPaused = false
    /// The least time between the samples that are kept; 0 keeps all.
    private let everyMilliseconds: Int64
    private var lastPoint: UnixTime?
    private var lastKept: UnixTime?

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
        let time = sample.time
        if let time, let lastKept, everyMilliseconds > 0,
            0..<everyMilliseconds ~= time.milliseconds - lastKept.milliseconds
        {
            return nil
        }
        if let time, sample.isPoint {
            if let lastPoint, time.milliseconds - lastPoint.milliseconds > Self.gapMilliseconds {
                segment += 1
            }
            lastPoint = time
        }
        lastKept = time ?? lastKept
        var sample = sample
        sample[count: .segment] = segment
        return sample
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
