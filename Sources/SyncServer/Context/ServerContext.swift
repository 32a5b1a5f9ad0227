internal import ProgramKit
internal import SyncCore

/// The environment of the server's commands.
struct ServerContext: CommandContext {
    var output: Output
    var now: @Sendable () -> UnixTime = Console.now
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
