import SyncCore

extension Commands {
    static let record = Command(
        "record",
        summary: "record NMEA 0183 from a receiver or a log into a track",
        options: [
            Option("--nmea SOURCE", "a file, a device, '-' or tcp://host:port"),
            Option("--name NAME", "what the track is called"),
            Option("--sport SPORT", "what kind of sport it is"),
            Option("--resume", "go on with the latest recording that did not end"),
        ],
        details: """
            Every fix is durable within a second. Ctrl-C, SIGTERM and the end of the source stop
            the recording; a connection that breaks is made again. Other commands go on meanwhile.
            """
    ) { arguments, context in
        let address = try address(arguments)
        let isResumed = arguments.flag("--resume")
        let title = Recorder.Title(
            name: arguments.option("--name"),
            sport: arguments.option("--sport")
        )
        guard !isResumed || (title.name ?? title.sport) == nil else {
            throw Complaint(
                .usage,
                "--resume goes on with a track that has its name",
                hint: "'wake tracks rename' and 'wake tracks set' change it"
            )
        }
        let library = try await context.library()
        let lock = try RecorderLock(folder: library.folder)
        defer { withExtendedLifetime(lock) {} }
        try await library.replica.packInterrupted(at: context.now())
        let unfinished = isResumed ? try await latestUnfinished(in: library) : nil
        let isOver = context.catchInterrupts()
        let feed = Feed(address, uptime: context.uptimeMilliseconds)
        let isLive = try await open(feed, at: address)
        var recorder = try await recorder(
            feed,
            isLive: isLive,
            into: library,
            title: title,
            resuming: unfinished,
            context
        )
        let track = try await run(&recorder, until: isOver)
        return try await tell(track, recorder.counters, of: library, from: address, context)
    }

    private static func address(_ arguments: Arguments) throws -> FeedAddress {
        guard let source = arguments.option("--nmea") else {
            throw Complaint(
                .usage,
                "it is not clear what to record",
                hint: "give '--nmea FILE', '--nmea -' or '--nmea tcp://host:port'"
            )
        }
        guard let address = FeedAddress(source) else {
            throw Complaint(
                .usage,
                "'\(source)' is no source of NMEA",
                hint: "a file, '-' or tcp://host:port"
            )
        }
        return address
    }

    private static func latestUnfinished(in library: Library) async throws -> Identifier {
        let tracks = try await library.replica.unfinishedTracks(in: library.space)
        guard let track = tracks.first else {
            throw Complaint(
                .notFound,
                "no recording of this device was interrupted",
                hint: "without --resume a new one begins"
            )
        }
        return track
    }

    private static func open(_ feed: Feed, at address: FeedAddress) async throws -> Bool {
        do {
            return try await feed.open()
        } catch let error as ConnectionError {
            let reason =
                switch error {
                case .unknownHost(_, let reason), .refused(_, let reason): reason
                }
            throw Complaint(
                .network,
                "cannot connect to \(address): \(reason)",
                hint: "see whether the receiver is on and sends NMEA 0183 over TCP"
            )
        }
    }

    /// A run of a recorder is a segment of its own: what lies between two is not sailed.
    private static func recorder(
        _ feed: Feed,
        isLive: Bool,
        into library: Library,
        title: Recorder.Title,
        resuming track: Identifier?,
        _ context: Context
    ) async throws -> Recorder {
        var recording: Recording?
        var segment: Int64 = 0
        if let track {
            let samples = try await library.replica.samples(of: track, in: library.space)
            segment = (samples.compactMap { $0[count: .segment] }.max() ?? 0) + 1
            recording = try await library.replica.resumeRecording(
                of: track,
                in: library.space,
                at: context.now()
            )
        }
        return Recorder(
            feed,
            isLive: isLive,
            into: library,
            title: title,
            recording: recording,
            segment: segment,
            preferences: try await library.preferences(),
            context: context
        )
    }

    /// What was stored stays, whatever ends the recording.
    private static func run(
        _ recorder: inout Recorder,
        until isOver: @Sendable () -> Bool
    ) async throws -> Identifier? {
        do {
            return try await recorder.run(until: isOver)
        } catch let error as DatabaseError {
            let complaint = Complaint(describing: error)
            let lost = recorder.pending.count.counted("sample")
            guard recorder.recording != nil else {
                throw Complaint(
                    complaint.code,
                    "nothing was recorded: \(lost) could not be stored: \(complaint.message)",
                    hint: complaint.hint
                )
            }
            throw Complaint(
                complaint.code,
                "the recording ended, and its last \(lost) could not be stored: "
                    + complaint.message,
                hint: "what was stored before is kept: 'wake record --resume' goes on with it"
            )
        }
    }

    private static func tell(
        _ id: Identifier?,
        _ counters: NMEAReader.Counters,
        of library: Library,
        from address: FeedAddress,
        _ context: Context
    ) async throws -> ExitCode {
        guard let id, let track = try await library.replica.track(id, in: library.space) else {
            throw Complaint(
                .failure,
                "nothing was recorded: no NMEA sentence that can be used came from \(address): "
                    + Complaint.words(forUseless: counters),
                hint: "see whether it sends NMEA 0183, and at which speed"
            )
        }
        let preferences = try await library.preferences()
        let distance = preferences.distance(track.knownDistanceMetres)
        context.output.result(.track(track)) {
            "recorded \(track.label): \(track.pointCount.counted("point")) in \(track.elapsed), "
                + "\(distance)\n"
        }
        let bad = counters.badChecksum + counters.missingChecksum
        if bad > 0 { context.output.note("passed over \(bad.counted("damaged sentence"))") }
        return .success
    }
}
