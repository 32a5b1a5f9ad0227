import ProgramKit
import SyncCore

/// The source that the user asked to record.
enum RecordingOrigin: Sendable {
    case feed(FeedAddress, baud: Int?)
    case replay(path: String, speed: Double)

    /// An opened source.
    struct Opened {
        let source: any Source
        /// The parser of the source's bytes, or nil if the source sends samples.
        let reader: (any FeedReader)?
        /// Whether the source sends in real time.
        let isLive: Bool
    }

    init(_ arguments: Arguments) throws {
        let given = ["--nmea", "--gpsd", "--replay"].filter { arguments.option($0) != nil }
        guard given.count <= 1 else {
            throw UserError.usage(given.joined(separator: " and ") + " cannot be used together")
        }
        let baud = try arguments.integer("--baud", in: 1...1_000_000)
        guard baud.map(SerialLine.bauds.contains) ?? true else {
            let bauds = SerialLine.bauds.map(String.init).joined(separator: ", ")
            throw UserError.usage("\(baud ?? 0) is not a speed of serial lines", hint: bauds)
        }
        try Self.refuse("--speed", without: "--replay", arguments)
        try Self.refuse("--baud", without: "--nmea", arguments)
        if let path = arguments.option("--replay") {
            self = .replay(path: path, speed: try Self.speed(arguments))
        } else if let text = arguments.option("--gpsd") {
            guard let address = FeedAddress(gpsd: text) else {
                let hint = "use 'host' or 'host:port'"
                throw UserError.usage("'\(text)' is not an address of gpsd", hint: hint)
            }
            self = .feed(address, baud: nil)
        } else {
            self = .feed(try Self.nmea(arguments), baud: baud)
        }
    }

    /// Rejects an option that would otherwise be ignored silently.
    private static func refuse(
        _ option: String,
        without origin: String,
        _ arguments: Arguments
    ) throws {
        guard arguments.option(option) != nil, arguments.option(origin) == nil else { return }
        throw UserError.usage("\(option) needs \(origin)")
    }

    private static func nmea(_ arguments: Arguments) throws -> FeedAddress {
        guard let source = arguments.option("--nmea") else {
            throw UserError.usage(
                "no source to record from was given",
                hint: "use '--gpsd localhost', '--nmea DEVICE', '--nmea tcp://host:port' "
                    + "or another source: 'wake help record'"
            )
        }
        guard let address = FeedAddress(nmea: source) else {
            throw UserError.usage(
                "'\(source)' is not a source of NMEA",
                hint: "use a file, a device, '-', tcp://host:port or udp://:port"
            )
        }
        return address
    }

    private static func speed(_ arguments: Arguments) throws -> Double {
        guard let text = arguments.option("--speed") else { return 1 }
        guard let speed = Double(text), speed > 0, speed.isFinite else {
            throw UserError.usage("option '--speed': '\(text)' is not a number above 0")
        }
        return speed
    }

    /// Opens the source, unless the user interrupts; `last` is the last fix of a resumed track.
    func open(
        after last: UnixTime?,
        until isOver: @Sendable () -> Bool,
        _ context: Context
    ) async throws -> Opened {
        switch self {
        case .feed(let address, let baud):
            let feed = Feed(address, baud: baud, uptime: context.uptimeMilliseconds)
            try await open(feed, at: address, until: isOver)
            let reader: any FeedReader =
                if case .gpsd = address { GPSDReader(after: last) } else {
                    NMEAReader(fallbackDate: context.now())
                }
            return Opened(source: feed, reader: reader, isLive: await feed.isLive)
        case .replay(let path, let speed):
            let file = try RecordingFile(ByteSource(path).unpacked(), context)
            if let damage = file.damage { throw damage }
            let tracks = file.tracks.filter { !$0.samples.isEmpty }
            guard let track = tracks.first else {
                throw UserError.failure("\(path): it contains no track")
            }
            if tracks.count > 1 {
                context.output.note("\(path) has \(tracks.count) tracks; replaying the first one")
            }
            let replay = Replay(track.samples, speed: speed, context)
            return Opened(source: replay, reader: nil, isLive: false)
        }
    }

    private func open(
        _ feed: Feed,
        at address: FeedAddress,
        until isOver: @Sendable () -> Bool
    ) async throws {
        do {
            while try await !feed.isOpen() {
                guard !isOver() else {
                    throw UserError.failure("interrupted before \(address) could be read")
                }
            }
        } catch let error as ConnectionError {
            let reason =
                switch error {
                case .unknownHost(_, let reason), .refused(_, let reason): reason
                }
            let hint = hint(for: address)
            throw UserError.network("cannot connect to \(address): \(reason)", hint: hint)
        }
    }

    private func hint(for address: FeedAddress) -> String {
        switch address {
        case .gpsd: "check that gpsd runs there and accepts remote connections ('gpsd -G')"
        case .udp: "check whether another program uses that port"
        default: "check that the receiver is on and sends NMEA 0183 over TCP"
        }
    }

    /// Returns the error for a source that sent no sample.
    func useless(_ counters: FeedCounters) -> UserError {
        switch self {
        case .feed(.gpsd, _):
            UserError.failure(
                "nothing was recorded: \(self) sent no fix",
                hint: "check that it has a receiver: 'gpspipe -w' shows what it sends"
            )
        case .feed:
            UserError.failure(
                "nothing was recorded: no usable NMEA sentence came from \(self): "
                    + UserError.words(forUseless: counters),
                hint: "check that it sends NMEA 0183, and at which speed"
            )
        case .replay: UserError.failure("nothing was recorded from \(self)")
        }
    }
}

extension RecordingOrigin: CustomStringConvertible {
    var description: String {
        switch self {
        case .feed(let address, _): address.description
        case .replay(let path, _): path
        }
    }
}
