/// A command-line option, which starts with two dashes.
package struct Option: Hashable, Sendable {
    /// The name with its dashes: `--name`.
    package let name: String
    /// The placeholder of its value in the help, or nil for a flag.
    package let value: String?
    /// One line for the help; lower case, no full stop.
    package let summary: String

    /// Creates an option from help notation: `"--json"` or `"--name NAME"`.
    package init(_ notation: String, _ summary: String) {
        let words = notation.split(separator: " ").map(String.init)
        name = words.first ?? ""
        value = words.dropFirst().first
        self.summary = summary
    }

    /// The option in help notation.
    package var notation: String { value.map { "\(name) \($0)" } ?? name }

    /// The options that every command of both programs accepts, at any position.
    package static let global = [
        Option("--json", "print one JSON document instead of text"),
        Option("--quiet", "print results and errors only"),
        Option("--help", "show help for a command, a group of commands, or all of them"),
        Option("--version", "print the version"),
    ]
}
