import ProgramKit
import SyncCore

enum RecordCommand {
    static let command = Command(
        "record",
        summary: "record a track from a GPS or NMEA receiver",
        options: [
            Option("--nmea SOURCE", "NMEA: a file, a device, '-', tcp://host:port or udp://:port"),
            Option("--gpsd HOST", "the gpsd at 'host' or 'host:port'"),
            Option("--replay FILE", "replay a recording in any format, as if live"),
            Option("--speed TIMES", "the speed of a replay, as a factor (default: 1)"),
            Option("--baud RATE", "the baud rate of a serial device, such as 4800 or 38400"),
            Option("--every SECONDS", "keep one sample per this many seconds (default: all)"),
            Option("--name NAME", "the name of the track"),
            Option("--sport SPORT", "the sport of the track"),
            Option("--resume", "continue the latest interrupted recording"),
        ],
        details: """
            Every fix is durable within a second. The recording ends on Ctrl-C, SIGTERM,
            'wake recording stop' or the end of the source. A broken connection is made
            again, and an unplugged serial device is opened again. You can run other
            commands meanwhile. After a minute without a fix, a new segment begins. A 'udp'
            address may be an address of this machine or a multicast group, such as
            'udp://239.2.1.1:10110', which the recorder joins.
            """
    ) { arguments, context in
        let origin = try RecordingOrigin(arguments)
        let isResumed = arguments.flag("--resume")
        var order = try order(arguments)
        let library = try await context.library(isRecording: true)
        try await library.checkMayAdd()
        let isOver = context.catchInterrupts()
        let lock = try await context.recorderLock(in: library.folder, until: isOver)
        lock.note(nil)
        try await library.replica.write { try $0.recordings.packInterrupted(at: context.moment()) }
        let unfinished = isResumed ? try await latestUnfinished(in: library) : nil
        let lastFix = try await resume(unfinished, in: library, &order)
        let opened = try await origin.open(after: lastFix, until: isOver, context)
        order.isLive = opened.isLive
        if let unfinished {
            order.recording = try await library.replica.write {
                try $0.recordings.resume(of: unfinished, in: library.space, at: context.moment())
            }
        }
        var recorder = try await Recorder(
            opened.source,
            opened.reader,
            into: library,
            order,
            context
        )
        recorder.begins = lock.note
        defer { lock.note(nil) }
        let track = try await run(&recorder, until: isOver)
        return try await tell(track, recorder.counters, of: library, from: origin, context)
    }

    private static func order(_ arguments: Arguments) throws -> Recorder.Order {
        let order = Recorder.Order(
            name: arguments.option("--name"),
            sport: arguments.option("--sport"),
            everyMilliseconds: 1000 * Int64(try arguments.integer("--every", in: 0...3600) ?? 0)
        )
        guard !arguments.flag("--resume") || (order.name ?? order.sport) == nil else {
            throw UserError.usage(
                "--resume cannot be combined with --name or --sport: the track has its own",
                hint: "'wake tracks rename' and 'wake tracks set' change them"
            )
        }
        return order
    }

    /// Returns the last fix of a resumed track and makes the next run a segment of its own.
    private static func resume(
        _ unfinished: Identifier?,
        in library: Library,
        _ order: inout Recorder.Order
    ) async throws -> UnixTime? {
        guard let unfinished else { return nil }
        let end = try await library.replica.read {
            try $0.recordings.recordedEnd(of: unfinished, in: library.space)
        }
        // The distance between two runs of a recorder was not recorded.
        order.segment = end.segment + 1
        return end.lastFix
    }

    private static func latestUnfinished(in library: Library) async throws -> Identifier {
        let tracks = try await library.replica.read {
            try $0.recordings.unfinishedTracks(in: library.space, includesDeletedElsewhere: true)
        }
        guard let track = tracks.first else {
            throw UserError.notFound(
                "this device has no interrupted recording",
                hint: "omit --resume to begin a new one"
            )
        }
        guard try await TrackEdits(library.cells(of: track)).trim.end == nil else {
            throw UserError.failure(
                "cannot resume \(track.short): its end was trimmed, and new samples would be too",
                hint: "'wake undo \(track.short) \(TrackEdits.trimEnd)' reverts the trim"
            )
        }
        return track
    }

    /// Runs the recorder; if it fails, the error says what was stored and what was lost.
    private static func run(
        _ recorder: inout Recorder,
        until isOver: @Sendable () -> Bool
    ) async throws -> Identifier? {
        do {
            return try await recorder.run(until: isOver)
        } catch let error as DatabaseError {
            let lost = recorder.pending.count.counted("sample") + " could not be stored"
            guard recorder.recording != nil else {
                throw UserError(describing: error).prefixed(with: "nothing was recorded: \(lost)")
            }
            var userError = UserError(describing: error)
                .prefixed(with: "the recording ended, and its last \(lost)")
            userError.hint =
                "earlier samples are stored: 'wake record --resume' continues the recording"
            throw userError
        }
    }

    private static func tell(
        _ id: Identifier?,
        _ counters: FeedCounters,
        of library: Library,
        from origin: RecordingOrigin,
        _ context: Context
    ) async throws -> ExitCode {
        guard let id, let found = try await library.holding(id),
            let track = try await found.stored(id)
        else {
            throw origin.useless(counters)
        }
        let preferences = try await library.preferences()
        let distance = preferences.distance(track.knownDistanceMetres)
        context.output.result(.track(track)) {
            "recorded \(track.label): \(track.pointCount.counted("point")) in \(track.elapsed), "
                + "\(distance)\n"
        }
        if track.isDeleted {
            context.output.note(
                "the track is in the trash; 'wake restore \(track.id.short)' restores it"
            )
        }
        let bad = counters.badChecksum + counters.missingChecksum
        if bad > 0 { context.output.note("skipped \(bad.counted("damaged sentence"))") }
        return .success
    }
}

extension Context {
    /// Locks the data folder for recording and prints a note after waiting for a second.
    fileprivate func recorderLock(
        in folder: String,
        until isOver: @Sendable () -> Bool
    ) async throws -> RecorderLock {
        try await RecorderLock(folder: folder) { pauses in
            guard !isOver() else {
                throw UserError.failure(
                    "interrupted while waiting for another program that packs a recording"
                )
            }
            if pauses == 100 {
                output.note("waiting for another program to pack an interrupted recording")
            }
            try await sleep(10)
        }
    }
}
