import Testing

@testable import SyncCLI

@Suite struct RecorderPaceTests {
    /// Feeds a boat's sentences second by second; returns how old the oldest fix was when it was
    /// stored, and how often something was stored.
    private static func run(
        pieces: [Int64],
        seconds: Int64,
        makesSamples: Bool
    ) -> (age: Int64, commits: Int) {
        var pace = RecorderPace(isLive: true)
        var oldest: Int64?
        var (age, commits) = (0 as Int64, 0)
        var now: Int64 = 0
        var arrivals = (0..<seconds).flatMap { second in pieces.map { second * 1000 + $0 } }[...]
        while now < seconds * 1000 {
            let wake = now + pace.wait(at: now)
            if let next = arrivals.first, next <= wake {
                arrivals.removeFirst()
                now = max(now, next)
                pace.read(sampleCount: makesSamples ? 1 : 0, at: now)
                oldest = oldest ?? now
            } else {
                now = wake
            }
            let isFlushed = pace.shouldFlush(at: now)
            if isFlushed { pace.flushed(sampleCount: 1, at: now) }
            guard isFlushed || pace.shouldStore(at: now) else { continue }
            pace.stored()
            age = max(age, now - (oldest ?? now))
            oldest = nil
            commits += 1
        }
        return (age, commits)
    }

    @Test(arguments: [[0], [0, 300], [0, 100, 200, 300, 400, 500, 600, 700, 800, 900]])
    func `T1 no sentence of a live feed is older than a second when it is stored`(pieces: [Int64]) {
        for makesSamples in [true, false] {
            let (age, commits) = Self.run(
                pieces: pieces,
                seconds: 20,
                makesSamples: makesSamples
            )
            #expect(age <= 900)
            #expect((20...100).contains(commits))
        }
    }

    @Test func `a file is stored in large batches and never flushed on the way`() {
        var pace = RecorderPace(isLive: false)
        pace.read(sampleCount: RecorderPace.batchLimit - 1, at: 0)
        #expect(!pace.shouldStore(at: 0))
        #expect(!pace.shouldFlush(at: 100_000))
        pace.read(sampleCount: 1, at: 0)
        #expect(pace.shouldStore(at: 0))
    }

    @Test func `the feed is waited for no longer than something is due`() {
        var pace = RecorderPace(isLive: true)
        #expect(pace.wait(at: 0) == RecorderPace.pauseMilliseconds)
        pace.read(sampleCount: 0, at: 1000)
        #expect(pace.wait(at: 1000) == RecorderPace.pauseMilliseconds)
        pace.read(sampleCount: 0, at: 1400)
        #expect(pace.wait(at: 1400) == 200)
        pace.read(sampleCount: 3, at: 1500)
        #expect(pace.wait(at: 1500) == RecorderPace.batchMilliseconds)
        #expect(pace.wait(at: 9999) == 0)
    }

    @Test func `what could not be stored waits a while`() {
        var pace = RecorderPace(isLive: true)
        pace.read(sampleCount: 1, at: 0)
        pace.failed(at: 250)
        #expect(!pace.shouldStore(at: 300))
        #expect(pace.shouldStore(at: 1000))
    }
}
