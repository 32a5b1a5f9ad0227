import ProgramKit
import SyncCore

/// Everything a command takes from the outside world: nothing is global, so that a test can run
/// the whole program in its own process.
struct Context: Sendable {
    /// Environment variables.
    var environment: [String: String]

    /// Where results, notes and errors go.
    var output: Output

    /// The next bytes of standard input, empty at its end.
    var input: @Sendable () throws -> [UInt8]

    /// The file that standard input is read from, as in `wake import - < FILE`; nil where it is none.
    var inputPath: @Sendable () -> String? = { nil }

    /// From now on the first Ctrl-C (or SIGTERM) ends ``input`` instead of the program; the second
    /// ends the program. Returns a question: was there one?
    var catchInterrupts: @Sendable () -> @Sendable () -> Bool = { { false } }

    /// The wall clock.
    var now: @Sendable () -> UnixTime

    /// Milliseconds since the start of the machine, which never jump.
    var uptimeMilliseconds: @Sendable () -> Int64

    /// The name of this start of the machine.
    var boot: @Sendable () -> Identifier

    /// The time zone that this machine is set to; nil where it does not say.
    var systemZone: @Sendable () -> ZoneName?

    /// What this machine is called.
    var hostName: @Sendable () -> String

    /// Waits for some milliseconds.
    var sleep: @Sendable (Int) async throws -> Void

    /// The way to a server, by its `host:port` and what shows that it is the one.
    var transport: @Sendable (String, ServerTrust) -> any Transport

    /// Where random bits come from.
    var random: RandomSource

    /// What generic commands show of the rows of some collections.
    var presenters: [RowPresenter] = []

    /// The value of `--data`.
    var data: String?

    /// The replica's folder: `--data`, `WAKE_DATA`, or `wake` in the XDG data folder.
    func dataFolder() throws(UserError) -> String {
        if let data = data ?? variable("WAKE_DATA") { return data }
        if let shared = variable("XDG_DATA_HOME") { return shared + "/wake" }
        guard let home = variable("HOME") else {
            throw UserError(
                .usage,
                "cannot find the data folder: HOME is not set",
                hint: "use --data DIR"
            )
        }
        return home + "/.local/share/wake"
    }

    /// What the clocks say.
    func moment() -> Moment {
        Moment(wall: now(), uptimeMilliseconds: uptimeMilliseconds(), boot: boot())
    }

    /// The start of a track that begins here at an instant.
    ///
    /// The clocks are those of `TZ`, else of the machine. What POSIX allows in `TZ` besides names, such
    /// as `CET-1CEST`, tells no zone: then nothing is known of them.
    func start(at time: UnixTime) -> TrackStart {
        let variable = environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
        let isSystem = variable == nil || variable == "/etc/localtime"
        let zone = isSystem ? systemZone() : variable.flatMap { ZoneName(ofSystem: $0) }
        guard let zone, let offset = ZoneRules.offset(of: zone, at: time) else {
            return TrackStart(time)
        }
        return TrackStart(time, offset: offset, zone: zone)
    }

    /// A variable that is set and not empty, as the XDG specification counts.
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Context: CommandContext {
    func following(_ arguments: Arguments) -> Context {
        var context = self
        context.data = arguments.option("--data")
        context.output = output.following(arguments)
        return context
    }
}

/// An entry of this program's command table.
typealias Command = ProgramKit.Command<Context>

extension Progress {
    /// A task of `total` units, nil where that is not known.
    convenience init(_ label: String, total: Int?, unit: Unit, context: Context) {
        self.init(label, total: total, unit: unit, output: context.output, now: context.now)
    }
}
