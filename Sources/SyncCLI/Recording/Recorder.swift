import SyncCore

/// Takes a feed into a track until the feed ends or the person ends it.
struct Recorder {
    /// What a new track is called.
    struct Title: Sendable {
        var name: String?
        var sport: String?
    }

    /// Kept in memory while the disk takes nothing.
    private static let pendingLimit = 1_000_000
    /// How often the rest is tried to be stored before it is given up; a lock of another program
    /// takes five seconds each time.
    private static let lastTryLimit = 5

    let library: Library
    let feed: Feed
    let context: Context
    let title: Title
    /// The track, once there is a first sample.
    private(set) var recording: Recording?
    private var reader: NMEAReader
    private var pace: RecorderPace
    /// Samples that are not durable yet.
    private(set) var pending: [Sample] = []
    private var line: RecordingLine
    private var isFailing = false

    /// A recorder for a new track, or with `recording` for one that goes on in a new segment.
    init(
        _ feed: Feed,
        isLive: Bool,
        into library: Library,
        title: Title,
        recording: Recording?,
        segment: Int64,
        preferences: Preferences,
        context: Context
    ) {
        self.feed = feed
        self.library = library
        self.title = title
        self.recording = recording
        self.context = context
        reader = NMEAReader(fallbackDate: context.now(), segment: segment)
        pace = RecorderPace(isLive: isLive)
        line = RecordingLine(preferences, on: context.output)
    }

    /// What became of the lines of the feed.
    var counters: NMEAReader.Counters { reader.counters }

    /// Records; returns the track, nil where not one sample came.
    mutating func run(until isOver: @Sendable () -> Bool) async throws -> Identifier? {
        line.draw(at: context.uptimeMilliseconds())
        var isAtEnd = false
        while !isAtEnd, !isOver() {
            let wait = pace.wait(at: context.uptimeMilliseconds())
            isAtEnd = try await take(try await feed.next(within: wait))
            let now = context.uptimeMilliseconds()
            if pace.shouldFlush(at: now) { try await flush(at: now) }
            if pace.shouldStore(at: now) { try await store(isLast: false) }
            line.draw(at: now)
        }
        hold(reader.finish())
        for _ in 0..<Self.lastTryLimit { try await store(isLast: false) }
        try await store(isLast: true)
        line.clear()
        guard let recording else { return nil }
        try await library.replica.stopRecording(recording, at: context.now())
        return recording.track
    }

    /// Takes what came; whether that was the end.
    private mutating func take(_ event: Feed.Event) async throws -> Bool {
        let now = context.uptimeMilliseconds()
        switch event {
        case .bytes(let bytes):
            let samples = reader.feed(bytes)
            pace.read(sampleCount: samples.count, at: now)
            hold(samples)
        case .silence: break
        case .lost(let reason):
            try await flush(at: now)
            tell("the connection is lost: \(reason); trying again")
        case .regained: tell("the connection is there again")
        case .end: return true
        }
        return false
    }

    private mutating func hold(_ samples: [Sample]) {
        pending += samples
        line.add(samples)
    }

    private mutating func flush(at now: Int64) async throws {
        let samples = reader.flush(at: context.now())
        pace.flushed(sampleCount: samples.count, at: now)
        hold(samples)
        try await store(isLast: false)
    }

    /// Makes the samples durable.
    ///
    /// A disk that is full, or a file that another program holds, may get better: then the
    /// samples wait.
    private mutating func store(isLast: Bool) async throws {
        guard let first = pending.first else { return pace.stored() }
        do {
            if recording == nil { recording = try await begin(at: first.time) }
            guard var recording else { return }
            try await library.replica.append(pending, to: &recording, at: context.now())
            self.recording = recording
            pending = []
            pace.stored()
            if isFailing { tell("storing again; nothing was lost") }
            isFailing = false
        } catch let error as DatabaseError where [.full, .busy].contains(error.kind) {
            guard !isLast, pending.count < Self.pendingLimit else { throw error }
            if !isFailing { tell(Complaint(describing: error).message + "; trying again") }
            isFailing = true
            pace.failed(at: context.uptimeMilliseconds())
        }
    }

    private func begin(at start: UnixTime?) async throws -> Recording {
        try await library.replica.startRecording(
            name: title.name,
            sport: title.sport,
            start: start,
            in: library.space,
            at: context.now()
        )
    }

    private mutating func tell(_ text: String) {
        line.clear()
        context.output.note(text)
    }
}
