/// The words of a command line, matched to its command.
package struct Arguments: Sendable, Equatable {
    package internal(set) var positionals: [String: [String]] = [:]
    package internal(set) var options: [String: [String]] = [:]

    package init() {}

    /// Returns a positional argument that the command requires.
    package func required(_ name: String) -> String {
        guard let word = positionals[name]?.first else {
            preconditionFailure("\(name) is not a required positional of this command")
        }
        return word
    }

    /// Returns an optional positional argument.
    package func optional(_ name: String) -> String? { positionals[name]?.first }

    /// Returns the words of a repeated positional argument.
    package func list(_ name: String) -> [String] { positionals[name] ?? [] }

    /// Returns an option's value; the last one counts.
    package func option(_ name: String) -> String? { options[name]?.last }

    package func flag(_ name: String) -> Bool { options[name] != nil }

    /// Returns an option's value as a whole number in `range`.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = option(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .notInRange(option: name, value: text, range: range)
        }
        return number
    }

    /// Returns an option's value as one of the choice's raw values.
    package func choice<Choice>(_ name: String) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let word = option(name) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        throw UserError.usage(
            "'\(word)' is not a valid value for \(name)",
            hint: Spelling.hint(for: word, in: words)
                ?? "valid values are \(words.joined(separator: ", "))"
        )
    }
}
