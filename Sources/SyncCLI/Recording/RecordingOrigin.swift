import ProgramKit
import SyncCore

/// What a person asked to record.
enum RecordingOrigin: Sendable {
    case feed(FeedAddress, baud: Int?)
    case replay(path: String, speed: Double)

    /// An origin that is ready to be read.
    struct Opened {
        let source: any Source
        /// Understands its bytes; nil for samples.
        let reader: (any FeedReader)?
        /// Whether what comes is happening now.
        let isLive: Bool
    }

    /// Reads the options of `wake record`.
    init(_ arguments: Arguments) throws {
        let given = ["--nmea", "--gpsd", "--replay"].filter { arguments.option($0) != nil }
        guard given.count <= 1 else {
            throw UserError(.usage, given.joined(separator: " and ") + " exclude each other")
        }
        let baud = try arguments.integer("--baud", in: 1...1_000_000)
        guard baud.map(SerialLine.bauds.contains) ?? true else {
            let bauds = SerialLine.bauds.map(String.init).joined(separator: ", ")
            throw UserError(.usage, "no serial line has \(baud ?? 0) bits a second", hint: bauds)
        }
        try Self.refuse("--speed", without: "--replay", arguments)
        try Self.refuse("--baud", without: "--nmea", arguments)
        if let path = arguments.option("--replay") {
            self = .replay(path: path, speed: try Self.speed(arguments))
        } else if let text = arguments.option("--gpsd") {
            guard let address = FeedAddress(gpsd: text) else {
                throw UserError(.usage, "'\(text)' is no gpsd", hint: "give 'host' or 'host:port'")
            }
            self = .feed(address, baud: nil)
        } else {
            self = .feed(try Self.nmea(arguments), baud: baud)
        }
    }

    /// An option that would be passed over is a mistake that its person should hear of.
    private static func refuse(
        _ option: String,
        without origin: String,
        _ arguments: Arguments
    ) throws {
        guard arguments.option(option) != nil, arguments.option(origin) == nil else { return }
        throw UserError(.usage, "\(option) says something of \(origin) only")
    }

    private static func nmea(_ arguments: Arguments) throws -> FeedAddress {
        guard let source = arguments.option("--nmea") else {
            throw UserError(
                .usage,
                "it is not clear what to record",
                hint: "give '--gpsd localhost', '--nmea DEVICE', '--nmea tcp://host:port' "
                    + "or another source: 'wake help record'"
            )
        }
        guard let address = FeedAddress(nmea: source) else {
            throw UserError(
                .usage,
                "'\(source)' is no source of NMEA",
                hint: "a file, a device, '-', tcp://host:port or udp://:port"
            )
        }
        return address
    }

    private static func speed(_ arguments: Arguments) throws -> Double {
        guard let text = arguments.option("--speed") else { return 1 }
        guard let speed = Double(text), speed > 0, speed.isFinite else {
            throw UserError(.usage, "option '--speed': '\(text)' is not a number above 0")
        }
        return speed
    }

    /// Opens it, for a track that has a fix of `last` already, unless a person ends it before.
    func open(
        after last: UnixTime?,
        until isOver: @Sendable () -> Bool,
        _ context: Context
    ) async throws -> Opened {
        switch self {
        case .feed(let address, let baud):
            let feed = Feed(address, baud: baud, uptime: context.uptimeMilliseconds)
            try await open(feed, at: address, until: isOver)
            let reader = reader(of: address, after: last, context)
            return Opened(source: feed, reader: reader, isLive: await feed.isLive)
        case .replay(let path, let speed):
            let file = try RecordingFile(ByteSource(path).unpacked(), context)
            if let damage = file.damage { throw damage }
            let tracks = file.tracks.filter { !$0.samples.isEmpty }
            guard let track = tracks.first else {
                throw UserError(.failure, "\(path): there is no track in it")
            }
            if tracks.count > 1 {
                context.output.note("\(path) has \(tracks.count) tracks; replaying the first one")
            }
            let replay = Replay(track.samples, speed: speed, context)
            return Opened(source: replay, reader: nil, isLive: false)
        }
    }

    private func reader(
        of address: FeedAddress,
        after last: UnixTime?,
        _ context: Context
    ) -> any FeedReader {
        if case .gpsd = address { return GPSDReader(after: last) }
        return NMEAReader(fallbackDate: context.now())
    }

    private func open(
        _ feed: Feed,
        at address: FeedAddress,
        until isOver: @Sendable () -> Bool
    ) async throws {
        do {
            while try await !feed.isOpen() {
                guard !isOver() else {
                    throw UserError(.failure, "interrupted before \(address) could be read")
                }
            }
        } catch let error as ConnectionError {
            let reason =
                switch error {
                case .unknownHost(_, let reason), .refused(_, let reason): reason
                }
            throw UserError(
                .network,
                "cannot connect to \(address): \(reason)",
                hint: hint(for: address)
            )
        }
    }

    private func hint(for address: FeedAddress) -> String {
        switch address {
        case .gpsd: "see whether gpsd runs there, and listens beyond its own machine ('gpsd -G')"
        case .udp: "see whether another program has that port for itself"
        default: "see whether the receiver is on and sends NMEA 0183 over TCP"
        }
    }

    /// Where not one sample came.
    func useless(_ counters: FeedCounters) -> UserError {
        switch self {
        case .feed(.gpsd, _):
            UserError(
                .failure,
                "nothing was recorded: no fix came from \(self)",
                hint: "see whether it has a receiver: 'gpspipe -w' shows what it sends"
            )
        case .feed:
            UserError(
                .failure,
                "nothing was recorded: no NMEA sentence that can be used came from \(self): "
                    + UserError.words(forUseless: counters),
                hint: "see whether it sends NMEA 0183, and at which speed"
            )
        case .replay: UserError(.failure, "nothing was recorded of \(self)")
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
