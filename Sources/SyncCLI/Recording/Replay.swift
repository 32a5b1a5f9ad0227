import ProgramKit
import SyncCore

/// Replays a recording in real time or faster.
///
/// The samples keep their times; only the waiting is shortened.
actor Replay: Source {
    private var rest: PackedSamples.Iterator
    private var upcoming: Sample?
    private let speed: Double
    private let uptime: @Sendable () -> Int64
    private let sleep: @Sendable (Int) async throws -> Void
    /// The time of the first sample, and the uptime when its replay began.
    private var start: (recorded: UnixTime, uptime: Int64)?

    /// The maximum number of samples per event, at any speed.
    private static let batchLimit = 1024

    /// Creates a replay at `speed` times real time, above 0.
    init(_ samples: PackedSamples, speed: Double, _ context: Context) {
        self.speed = speed
        uptime = context.uptimeMilliseconds
        sleep = context.sleep
        rest = samples.makeIterator()
        upcoming = rest.next()
    }

    func next(within milliseconds: Int64) async throws -> SourceEvent {
        guard upcoming != nil else { return .end }
        let wait = pause()
        if wait > 0 {
            try await sleep(Int(min(wait, max(milliseconds, 1))))
            if wait > milliseconds { return .silence }
        }
        var batch: [Sample] = []
        while let sample = upcoming, pause() <= 0, batch.count < Self.batchLimit {
            batch.append(sample)
            upcoming = rest.next()
        }
        return .samples(batch)
    }

    /// Returns the milliseconds until the next sample is due, or 0 if it has no time.
    private func pause() -> Int64 {
        guard let time = upcoming?.time else { return 0 }
        let now = uptime()
        if start == nil { start = (time, now) }
        guard let start else { return 0 }
        let recorded = Double(time.milliseconds - start.recorded.milliseconds)
        return start.uptime + Int64(clamping: recorded / speed) - now
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value.rounded()) ?? (value > 0 ? .max / 2 : .min / 2)
    }
}
