/// The whole program as a function of its arguments and its context.
struct Program: Sendable {
    let commands: [Command]

    /// The version that `--version` prints.
    static let version = "0.1.0"

    /// Runs one command line; never throws and never exits.
    func run(_ words: some Sequence<String>, in context: Context) async -> ExitCode {
        do {
            return try await perform(Request(words, commands: commands), in: context)
        } catch {
            let complaint = Complaint(describing: error)
            context.output.complain(complaint)
            return complaint.code
        }
    }

    private func perform(_ request: Request, in context: Context) async throws -> ExitCode {
        switch request {
        case .help(let path):
            context.output.text(Help(commands: commands).text(for: path))
            return .success
        case .version(let arguments):
            let output = context.following(arguments).output
            output.result(.object([("version", .text(Self.version))])) {
                "wake \(Self.version)\n"
            }
            return .success
        case .run(let command, let arguments):
            return try await command.run(arguments, context.following(arguments))
        }
    }
}

extension Context {
    /// The context after the global options.
    fileprivate func following(_ arguments: Arguments) -> Context {
        var context = self
        context.data = arguments.option("--data")
        context.output.isJSON = arguments.flag("--json")
        context.output.isQuiet = arguments.flag("--quiet")
        return context
    }
}
