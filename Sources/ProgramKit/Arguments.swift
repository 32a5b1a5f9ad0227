/// The words of one call, matched against its command.
package struct Arguments: Sendable, Equatable {
    package private(set) var positionals: [String: [String]] = [:]
    package private(set) var options: [String: [String]] = [:]

    /// No words at all.
    package init() {}

    /// The word of a positional that the command requires.
    package func required(_ name: String) -> String {
        guard let word = positionals[name]?.first else {
            preconditionFailure("\(name) is not a required positional of this command")
        }
        return word
    }

    /// The word of a positional that may be left out.
    package func optional(_ name: String) -> String? { positionals[name]?.first }

    /// The words of a repeated positional.
    package func list(_ name: String) -> [String] { positionals[name] ?? [] }

    /// The value of an option, the last where it was given twice.
    package func option(_ name: String) -> String? { options[name]?.last }

    /// Whether a flag was given.
    package func flag(_ name: String) -> Bool { options[name] != nil }

    /// The value of an option as a whole number in a range.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = option(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .notInRange(option: name, value: text, range: range)
        }
        return number
    }

    /// The value of an option that takes one of some words.
    package func choice<Choice>(_ name: String) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let word = option(name) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        throw UserError(
            .usage,
            "'\(word)' is not a valid value for \(name)",
            hint: Spelling.hint(for: word, in: words)
                ?? "valid values are \(words.joined(separator: ", "))"
        )
    }

    mutating func record(option: String, value: String) {
        options[option, default: []].append(value)
    }

    mutating func record(positional: String, words: [String]) {
        positionals[positional] = words
    }
}
