/// One entry of the command table: help, parsing and hints are all made from it.
struct Command: Sendable {
    /// Noun, then verb: `["tracks", "rename"]`, or one word such as `["sync"]`.
    let path: [String]

    /// One line for the list of commands, lower case, no full stop.
    let summary: String

    /// What follows the path, in order.
    let positionals: [Positional]

    /// Options beside the global ones.
    let options: [Option]

    /// Further lines of help, wrapped by hand at 80 columns; empty for none.
    let details: String

    /// Does the work.
    ///
    /// Throws a ``Complaint`` or any error that ``Complaint/init(describing:)`` knows.
    let run: @Sendable (Arguments, Context) async throws -> ExitCode

    /// A command whose `usage` reads like its help: `"ID NAME"`, `"[TRACK]"`, `"FILE..."`.
    init(
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
    var name: String { path.joined(separator: " ") }
}

/// A word that a command takes by its place.
struct Positional: Hashable, Sendable {
    /// As in the help, without brackets and dots: `FILE`.
    let name: String
    /// Whether the word may be left out; written `[FILE]`.
    let isOptional: Bool
    /// Whether it takes all the words that are left; written `FILE...`.
    let isRepeated: Bool

    /// Reads the notation of the help.
    init(_ notation: String) {
        isOptional = notation.hasPrefix("[")
        isRepeated = notation.contains("...")
        name = String(notation.filter { !"[].".contains($0) })
    }

    /// The notation of the help.
    var notation: String {
        let word = isRepeated ? name + "..." : name
        return isOptional ? "[\(word)]" : word
    }
}

/// A word that starts with two dashes.
struct Option: Hashable, Sendable {
    /// With its dashes: `--name`.
    let name: String
    /// What its value is called in the help; nil for a flag.
    let value: String?
    /// One line for the help, lower case, no full stop.
    let summary: String

    /// An option in the notation of the help: `"--json"` or `"--name NAME"`.
    init(_ notation: String, _ summary: String) {
        let words = notation.split(separator: " ").map(String.init)
        name = words.first ?? ""
        value = words.dropFirst().first
        self.summary = summary
    }

    /// The notation of the help.
    var notation: String { value.map { "\(name) \($0)" } ?? name }

    /// Understood by every command, at any place.
    static let global = [
        Option("--data DIR", "the replica's folder (WAKE_DATA, else the XDG data folder)"),
        Option("--json", "print one JSON document instead of text"),
        Option("--quiet", "print results and errors only"),
        Option("--help", "explain a command, a group of commands, or all of them"),
        Option("--version", "print the version"),
    ]
}
