/// A whole program as a function of its arguments and its context.
package struct Program<Context: CommandContext>: Sendable {
    /// What it is called, and what a person types.
    package let name: String

    /// What it is for, in one sentence without a full stop.
    package let summary: String

    /// What every command understands, at any place.
    package let options: [Option]

    /// The exit codes that it uses, in the words of the help.
    package let exitCodes: [(code: ExitCode, meaning: String)]

    /// All but `help`, in the order of the help.
    private let ownCommands: [Command<Context>]

    /// Puts an error into words that commands throw beside ``UserError`` and ``UsageError``.
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

    /// Runs one command line; never throws and never exits.
    package func run(_ words: some Sequence<String>, in context: Context) async -> ExitCode {
        do {
            return try await perform(Request(words, of: self), in: context)
        } catch {
            let userError = userError(for: error)
            context.output.report(userError)
            return userError.code
        }
    }

    /// An error of a command, or of the words that called it.
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
