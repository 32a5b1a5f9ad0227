import ProgramKit
import SyncCore

/// Records a source into a track until the source ends or the user stops it.
struct Recorder {
    /// The parameters of a recording.
    struct Order: Sendable {
        /// The name of a new track.
        var name: String?
        /// The sport of a new track.
        var sport: String?
        /// The recording to resume, or nil to start a new track.
        var recording: Recording?
        /// The number of the first segment.
        var segment: Int64 = 0
        /// The minimum time between kept samples; 0 keeps all.
        var everyMilliseconds: Int64 = 0
        /// Whether the source sends in real time.
        var isLive = true
    }

    /// The maximum number of samples kept in memory while storing fails.
    private static let pendingLimit = 1_000_000
    /// The number of attempts to store the rest before the final one.
    ///
    /// Waiting for another program's lock takes five seconds per attempt.
    private static let lastTryLimit = 5

    let library: Library
    let source: any Source
    let context: Context
    let order: Order
    /// The recording, or nil before the first sample.
    private(set) var recording: Recording?
    private var reader: (any FeedReader)?
    private var pace: RecorderPace
    private var preFixSamples = PreFixBuffer()
    private var filter: SampleFilter
    private var alarms: AlarmWatch
    private var control = RecorderControl()
    private(set) var pending: [Sample] = []
    private var marks: [Mark] = []
    private var line: RecordingLine
    private var isFailing = false
    private var isInTrash = false
    /// Called with the track's id as soon as the track exists.
    var begins: (Identifier) -> Void = { _ in }

    /// Creates a recorder; `reader` parses the bytes of the source.
    init(
        _ source: any Source,
        _ reader: (any FeedReader)?,
        into library: Library,
        _ order: Order,
        _ context: Context
    ) async throws {
        self.source = source
        self.reader = reader
        self.library = library
        self.order = order
        self.context = context
        recording = order.recording
        pace = RecorderPace(isLive: order.isLive)
        filter = SampleFilter(segment: order.segment, everyMilliseconds: order.everyMilliseconds)
        let settings = try await library.replica.read { try $0.settings.all(in: library.own) }
        alarms = AlarmWatch(Alarm.all(of: settings))
        var (rule, sport) = (FixRule(sport: order.sport), order.sport)
        if let recording = order.recording {
            rule = try await library.replica.read {
                try $0.tracks.rule(of: recording.track, in: library.space)
            }
            sport = try await library.stored(recording.track)?.sport
        }
        line = RecordingLine(settings, rule, sport, context.output)
    }

    /// The parser's counts of the lines of the feed.
    var counters: FeedCounters { reader?.counters ?? FeedCounters() }

    /// Records until the end; returns the track, or nil if no sample came.
    mutating func run(until isOver: @Sendable () -> Bool) async throws -> Identifier? {
        line.draw(at: context.uptimeMilliseconds())
        if let recording { begins(recording.track) }
        var isAtEnd = false
        var failure: (any Error)?
        while !isAtEnd, !isOver() {
            let wait = pace.wait(at: context.uptimeMilliseconds())
            do {
                isAtEnd = try await take(try await source.next(within: wait))
            } catch let error as FileError {
                // Samples that came before the failure are stored as at any end.
                (failure, isAtEnd) = (error, true)
            }
            let now = context.uptimeMilliseconds()
            if pace.shouldFlush(at: now) { try await flush(at: now) }
            if pace.shouldStore(at: now) { try await store(isLast: false) }
            if try await obey(at: now) { isAtEnd = true }
            line.draw(at: now)
        }
        try await finish()
        if let failure { throw failure }
        return recording?.track
    }

    /// Stores the remaining samples and stops the track.
    private mutating func finish() async throws {
        hold(reader?.finish() ?? [])
        keep(preFixSamples.end())
        marks += alarms.lasting.map(Mark.init)
        for _ in 0..<Self.lastTryLimit { try await store(isLast: false) }
        try await store(isLast: true)
        line.clear()
        if let recording {
            let now = context.moment()
            try await library.replica.write { try $0.recordings.stop(recording, at: now) }
        }
    }

    /// Handles an event; returns whether the source ended.
    private mutating func take(_ event: SourceEvent) async throws -> Bool {
        let now = context.uptimeMilliseconds()
        switch event {
        case .bytes(let bytes):
            let samples = reader?.feed(bytes) ?? []
            pace.read(sampleCount: samples.count, at: now)
            hold(samples)
        case .samples(let samples):
            pace.flushed(sampleCount: samples.count, at: now)
            hold(samples)
        case .silence: break
        case .lost(let reason):
            try await flush(at: now)
            tell("connection lost: \(reason); retrying")
        case .regained: tell("connection restored")
        case .end: return true
        }
        return false
    }

    private mutating func hold(_ samples: [Sample]) {
        var samples = samples
        if order.isLive {
            for index in samples.indices { ReceiverClock.mend(&samples[index], at: context.now()) }
        }
        if !filter.isPaused {
            for sample in samples { alarms.add(sample).forEach { take($0) } }
        }
        // A replayed recording has its own times, which must not be corrected.
        keep(reader == nil ? samples : preFixSamples.take(samples, at: context.now()))
    }

    private mutating func keep(_ samples: [Sample]) {
        let taken = filter.take(samples)
        pending += taken
        line.add(taken)
    }

    private mutating func flush(at now: Int64) async throws {
        let wall = context.now()
        let samples = reader?.flush(at: wall) ?? []
        pace.flushed(sampleCount: samples.count, at: now)
        hold(samples)
        try await store(isLast: false)
    }
}

/// Storage.
extension Recorder {
    /// Stores the pending samples and marks.
    ///
    /// If the disk is full or another program holds the file, they wait for the next attempt.
    private mutating func store(isLast: Bool) async throws {
        do {
            if let first = pending.first {
                if recording == nil { recording = try await begin(at: first.time) }
                guard let recording else { return }
                self.recording = try await library.replica.write {
                    [pending, now = context.moment()] in
                    try $0.recordings.append(pending, to: recording, at: now)
                }
                pending = []
            }
            pace.stored()
            try await storeMarks()
            if isFailing { tell("storing samples again; nothing was lost") }
            isFailing = false
        } catch let error as DatabaseError where [.full, .busy].contains(error.kind) {
            // A mark that cannot be written must not end the recording.
            guard !isLast || pending.isEmpty, pending.count < Self.pendingLimit else { throw error }
            if !isFailing { tell(UserError(describing: error).message + "; retrying") }
            isFailing = true
            pace.failed(at: context.uptimeMilliseconds())
        }
    }

    private mutating func storeMarks() async throws {
        guard let recording, !marks.isEmpty else { return }
        try await library.replica.write { [marks, now = context.moment()] in
            try $0.marks.write(marks, on: recording, at: now)
        }
        marks = []
    }

    private func begin(at start: UnixTime?) async throws -> Recording {
        let now = context.moment()
        let first = context.start(at: start ?? now.wall)
        let recording = try await library.replica.write { [order, space = library.space] in
            try $0.recordings.start(
                name: order.name,
                sport: order.sport,
                start: first,
                in: space,
                at: now
            )
        }
        begins(recording.track)
        return recording
    }
}

/// Control and messages.
extension Recorder {
    /// Obeys the track's status, which a command here or on another device may have changed.
    ///
    /// Returns whether the track was stopped.
    private mutating func obey(at now: Int64) async throws -> Bool {
        guard let recording, control.shouldLook(at: now) else { return false }
        let (status, isDeleted) = try await library.replica.read {
            try $0.recordings.state(of: recording)
        }
        tellTrash(isDeleted, recording.track)
        if status == .paused, !filter.isPaused {
            filter.pause()
            tell("paused; 'wake recording resume' continues")
        } else if status == .recording, filter.isPaused {
            filter.resume()
            tell("resumed")
        }
        line.isPaused = filter.isPaused
        return status == .stopped
    }

    /// Tells once that the track was deleted, here or on another device, or is back.
    private mutating func tellTrash(_ isDeleted: Bool, _ track: Identifier) {
        guard isDeleted != isInTrash else { return }
        isInTrash = isDeleted
        tell(
            isDeleted
                ? "the track was deleted and is in the trash; recording goes on, and 'wake restore "
                    + "\(track.short)' restores it" : "the track was restored from the trash"
        )
    }

    private mutating func take(_ event: AlarmWatch.Event) {
        switch event {
        case .raised(let episode):
            marks.append(Mark(episode))
            line.raise(episode.alarm.message)
            tell("alarm: \(episode.alarm.message)" + line.bell)
        case .cleared(let episode):
            marks.append(Mark(episode))
            line.lower(episode.alarm.message)
            tell("alarm over: \(episode.alarm.message), " + line.words(for: episode))
        }
    }

    private mutating func tell(_ text: String) {
        line.clear()
        context.output.note(text)
    }
}
