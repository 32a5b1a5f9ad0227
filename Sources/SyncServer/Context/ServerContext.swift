internal import ProgramKit
internal import SyncCore

/// What commands of the server take from the world around the program.
struct ServerContext: CommandContext {
    /// Where results, notes and errors go.
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

    /// The folder of the store, which every command needs.
    func dataFolder() throws(UserError) -> String {
        guard let data, !data.isEmpty else {
            throw UserError(.usage, "--data is missing", hint: "see 'wake-server --help'")
        }
        return data
    }
}

/// An entry of this program's command table.
typealias Command = ProgramKit.Command<ServerContext>
