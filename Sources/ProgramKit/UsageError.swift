/// Why a command line is invalid.
package enum UsageError: Error, Equatable {
    /// No command starts with these words; `nearest` is a correction of the last one.
    case unknownCommand([String], nearest: String?)
    /// An option that the command does not have.
    case unknownOption(String, nearest: String?)
    /// An option without its required value.
    case missingValue(option: String)
    /// A flag with `=value`.
    case unexpectedValue(option: String)
    /// A missing positional argument.
    case missing(String, command: String)
    /// A surplus positional argument.
    case surplus(String, command: String)
    /// A value that is not a whole number or out of range.
    case notInRange(option: String, value: String, range: ClosedRange<Int>)
}

extension UserError {
    /// Describes why a command line of `program` is invalid.
    init(_ error: UsageError, program: String) {
        switch error {
        case .unknownCommand(let words, let nearest):
            let noun = words.dropLast().map { $0 + " " }.joined()
            self = .usage(
                "unknown command '\(words.joined(separator: " "))'",
                hint: nearest.map { "did you mean '\(program) \(noun)\($0)'?" }
                    ?? "see '\(program) \(noun)--help'"
            )
        case .missing(let name, let command):
            self = .usage("\(name) is missing", hint: "see '\(program) \(command) --help'")
        case .surplus(let word, let command):
            let hint = "see '\(program) \(command) --help'"
            self = .usage("unexpected argument '\(word)'", hint: hint)
        case .unknownOption, .missingValue, .unexpectedValue, .notInRange:
            self.init(aboutOption: error)
        }
    }

    private init(aboutOption error: UsageError) {
        switch error {
        case .unknownOption(let name, let nearest):
            self = .usage(
                "unknown option '\(name)'",
                hint: nearest.map { "did you mean '\($0)'?" }
                    ?? "put '--' before an argument that begins with a dash"
            )
        case .missingValue(let option): self = .usage("option '\(option)' needs a value")
        case .unexpectedValue(let option): self = .usage("option '\(option)' takes no value")
        case .notInRange(let option, let value, let range):
            let limits = "\(range.lowerBound) to \(range.upperBound)"
            self = .usage("option '\(option)': '\(value)' is not a whole number from \(limits)")
        case .unknownCommand, .missing, .surplus: preconditionFailure("\(error) is of no option")
        }
    }
}
