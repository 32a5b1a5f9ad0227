/// A program as a function of its arguments and its context.
package struct Program<Context: CommandContext>: Sendable {
    /// The program's name, as a person types it.
    package let name: String

    /// Its purpose in one sentence, without a full stop.
    package let summary: String

    /// The options that every command accepts, at any position.
    package let options: [Option]

    /// The exit codes that the program uses, with their meaning for the help.
    package let exitCodes: [(code: ExitCode, meaning: String)]

    /// All commands but `help`, in the order of the help.
    private let ownCommands: [Command<Context>]

    /// Describes errors of commands other than ``UserError`` and ``UsageError``.
    private let describe: @Sendable (any Error) -> UserError

    package init(
        _ name: String,
        summary: String,
        options: [Option],
        exitCodes: [(code: ExitCode, meaning: String)],
        commands: [Command<Context>],
        describe: @escaping @Sendable (any Error) -> UserError
    ) {
        self.name = name
        self.summary = summary
        self.options = options + Option.global
        self.exitCodes = exitCodes
        ownCommands = commands
        self.describe = describe
    }

    /// The command table, in the order of the help.
    package var commands: [Command<Context>] { ownCommands + [help] }

    /// Runs one command line; never throws or exits.
    package func run(_ words: some Sequence<String>, in context: Context) async -> ExitCode {
        do {
            return try await perform(Request(words, of: self), in: context)
        } catch {
            let userError = userError(for: error)
            context.output.report(userError)
            return userError.code
        }
    }

    private func userError(for error: any Error) -> UserError {
        switch error {
        case let error as UserError: error
        case let error as UsageError: UserError(error, program: name)
        default: describe(error)
        }
    }

    private func perform(_ request: Request<Context>, in context: Context) async throws -> ExitCode
    {
        switch request {
        case .help(let path):
            context.output.text(Help(of: self).text(for: path))
            return .success
        case .version(let arguments):
            let output = context.following(arguments).output
            output.result(.object([("version", .text(Version.current))])) {
                "\(name) \(Version.current)\n"
            }
            return .success
        case .run(let command, let arguments):
            return try await command.run(arguments, context.following(arguments))
        }
    }

    private var help: Command<Context> {
        Command(
            "help",
            "[WORD...]",
            summary: "show help for a command, a group, or all of them"
        ) { arguments, context in
            let path = arguments.list("WORD")
            guard commands.contains(where: { $0.path.starts(with: path) }) else {
                throw UsageError.unknownCommand(path, nearest: nil)
            }
            context.output.text(Help(of: self).text(for: path))
            return .success
        }
    }
}
