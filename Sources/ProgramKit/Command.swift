/// One entry of a command table: help, parsing and hints are all made from it.
package struct Command<Context: CommandContext>: Sendable {
    /// Noun, then verb: `["tracks", "rename"]`, or one word such as `["sync"]`.
    package let path: [String]

    /// One line for the list of commands, lower case, no full stop.
    package let summary: String

    /// What follows the path, in order.
    package let positionals: [Positional]

    /// Options beside those of every command.
    package let options: [Option]

    /// Further lines of help, wrapped by hand at 80 columns; empty for none.
    package let details: String

    /// Does the work.
    ///
    /// Throws a ``UserError`` or any error that the program describes.
    package let run: @Sendable (Arguments, Context) async throws -> ExitCode

    /// A command whose `usage` reads like its help: `"ID NAME"`, `"[TRACK]"`, `"FILE..."`.
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

    /// The words that call the command, without the program's name.
    package var name: String { path.joined(separator: " ") }
}

/// What commands take from the world around the program, such as its streams and its clock.
package protocol CommandContext: Sendable {
    /// Where results, notes and errors go.
    var output: Output { get }

    /// Returns the context after the options of every command.
    func following(_ arguments: Arguments) -> Self
}
