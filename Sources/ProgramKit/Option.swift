/// A word that starts with two dashes.
package struct Option: Hashable, Sendable {
    /// With its dashes: `--name`.
    package let name: String
    /// What its value is called in the help; nil for a flag.
    package let value: String?
    /// One line for the help, lower case, no full stop.
    package let summary: String

    /// An option in the notation of the help: `"--json"` or `"--name NAME"`.
    package init(_ notation: String, _ summary: String) {
        let words = notation.split(separator: " ").map(String.init)
        name = words.first ?? ""
        value = words.dropFirst().first
        self.summary = summary
    }

    /// The notation of the help.
    package var notation: String { value.map { "\(name) \($0)" } ?? name }

    /// What every command of every program understands, at any place.
    package static let global = [
        Option("--json", "print one JSON document instead of text"),
        Option("--quiet", "print results and errors only"),
        Option("--help", "show help for a command, a group of commands, or all of them"),
        Option("--version", "print the version"),
    ]
}
