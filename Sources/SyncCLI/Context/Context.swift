import ProgramKit
import SyncCore

/// Everything that a command takes from its environment.
///
/// Nothing is global, so a test can run the whole program in its own process.
struct Context: Sendable {
    var environment: [String: String]

    /// Prints results, notes and errors.
    var output: Output

    /// Reads the next bytes of standard input; empty at its end.
    var input: @Sendable () throws -> [UInt8]

    /// Returns the file behind standard input (`wake import - < FILE`), or nil if there is none.
    var inputPath: @Sendable () -> String? = { nil }

    /// Makes the first Ctrl-C or SIGTERM from now on end ``input`` instead of the program.
    ///
    /// The second one ends the program. The returned closure tells whether one occurred.
    var catchInterrupts: @Sendable () -> @Sendable () -> Bool = { { false } }

    /// Returns the wall-clock time.
    var now: @Sendable () -> UnixTime

    /// Returns the monotonic time since boot, in milliseconds.
    var uptimeMilliseconds: @Sendable () -> Int64

    /// Returns the id of this boot.
    var boot: @Sendable () -> Identifier

    /// Returns the time zone of this machine, or nil if it is unknown.
    var systemZone: @Sendable () -> ZoneName?

    /// Returns the host name.
    var hostName: @Sendable () -> String

    /// Waits for the given number of milliseconds.
    var sleep: @Sendable (Int) async throws -> Void

    /// Returns the transport to a server at `host:port`, which must match the trust.
    var transport: @Sendable (String, ServerTrust) -> any Transport

    /// The source of random bits.
    var random: RandomSource

    /// The presenters that generic commands use for rows of certain collections.
    var presenters: [RowPresenter] = []

    var data: String?

    /// The shared space that a person names, or nil for the own one.
    var space: String?

    /// Returns the data folder: `--data`, `WAKE_DATA`, or `wake` in the XDG data folder.
    func dataFolder() throws(UserError) -> String {
        if let data = data ?? variable("WAKE_DATA") { return data }
        if let shared = variable("XDG_DATA_HOME") { return shared + "/wake" }
        guard let home = variable("HOME") else {
            throw UserError.usage(
                "cannot find the data folder: HOME is not set",
                hint: "use --data DIR"
            )
        }
        return home + "/.local/share/wake"
    }

    /// Returns the current time on all clocks.
    func moment() -> Moment {
        Moment(wall: now(), uptimeMilliseconds: uptimeMilliseconds(), boot: boot())
    }

    /// Returns the start of a track that begins here at the given time.
    ///
    /// The zone comes from `TZ`, otherwise from the machine. A POSIX rule in `TZ`, such as
    /// `CET-1CEST`, names no zone; the local time is then unknown.
    func start(at time: UnixTime) -> TrackStart {
        let variable = environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
        let isSystem = variable == nil || variable == "/etc/localtime"
        let zone = isSystem ? systemZone() : variable.flatMap { ZoneName(ofSystem: $0) }
        guard let zone, let offset = ZoneRules.offset(of: zone, at: time) else {
            return TrackStart(time)
        }
        return TrackStart(time, offset: offset, zone: zone)
    }

    /// Returns an environment variable, or nil if it is unset or empty (XDG specification).
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Context: CommandContext {
    func following(_ arguments: Arguments) -> Context {
        var context = self
        context.data = arguments.option("--data")
        context.space = arguments.option("--space")
        context.output = output.following(arguments)
        return context
    }
}

/// A command of this program.
typealias Command = ProgramKit.Command<Context>

extension Progress {
    /// Creates the progress of a task of `total` units, or of unknown length if nil.
    convenience init(_ label: String, total: Int?, unit: Unit, context: Context) {
        self.init(label, total: total, unit: unit, output: context.output, now: context.now)
    }
}
