/// An entry of the command table, from which help, parsing and hints are generated.
package struct Command<Context: CommandContext>: Sendable {
    /// The words of the command: `["tracks", "rename"]`, or a single word such as `["sync"]`.
    package let path: [String]

    /// One line for the list of commands; lower case, no full stop.
    package let summary: String

    /// The positional arguments, in order.
    package let positionals: [Positional]

    /// Options beside those that every command has.
    package let options: [Option]

    /// Further lines of help, wrapped by hand at 80 columns, or empty.
    package let details: String

    /// Runs the command.
    ///
    /// Throws a ``UserError``, or any error that the program describes.
    package let run: @Sendable (Arguments, Context) async throws -> ExitCode

    /// Creates a command; `usage` is in help notation: `"ID NAME"`, `"[TRACK]"`, `"FILE..."`.
    package init(
        _ path: String,
        _ usage: String = "",
        summary: String,
        options: [Option] = [],
        details: String = "",
        run: @escaping @Sendable (Arguments, Context) async throws -> ExitCode
    ) {
        self.path = path.split(separator: " ").map(String.init)
        self.summary = summary
        self.positionals = usage.split(separator: " ").map { Positional(String($0)) }
        self.options = options
        self.details = details
        self.run = run
    }

    /// The command's words, without the program's name.
    package var name: String { path.joined(separator: " ") }
}

/// The environment of a command, such as its streams and its clock.
package protocol CommandContext: Sendable {
    /// The destination of results, notes and errors.
    var output: Output { get }

    /// Returns the context adjusted to the options that every command has.
    func following(_ arguments: Arguments) -> Self
}
