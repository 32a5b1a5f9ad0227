internal import ProgramKit
internal import SyncCore

/// The environment of the server's commands.
struct ServerContext: CommandContext {
    /// The destination of results, notes and errors.
    var output: Output
    /// The wall clock.
    var now: @Sendable () -> UnixTime = Console.now
    /// The value of `--data`.
    var data: String?

    func following(_ arguments: Arguments) -> ServerContext {
        var context = self
        context.data = arguments.option("--data")
        context.output = output.following(arguments)
        return context
    }

    /// Returns the data folder, which every command needs.
    func dataFolder() throws(UserError) -> String {
        guard let data, !data.isEmpty else {
            throw UserError.usage("--data is missing", hint: "see 'wake-server --help'")
        }
        return data
    }
}

/// An entry of this program's command table.
typealias Command = ProgramKit.Command<ServerContext>
