/// An error in words: the only place where the command line makes prose of one.
///
/// The message says what was attempted, with the value; lower case, no full stop. The hint says
/// what to do next.
struct Complaint: Error, Equatable {
    var code = ExitCode.failure
    var message: String
    var hint: String?

    /// A failure that a command found itself.
    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Puts an error of the core into words.
    init(describing error: any Error) {
        switch error {
        case let complaint as Complaint: self = complaint
        case let error as UsageError: self.init(describing: error)
        case let error as ConsoleError: self.init(describing: error)
        case let error as FileError: self.init(describing: error)
        case let error as PageError: self.init(.failure, "cannot draw: \(error.reason)")
        default: self = Complaint(describingCore: error) ?? Complaint(.failure, "\(error)")
        }
    }

    private init(describing error: UsageError) {
        let (message, hint) = Self.words(for: error)
        self.init(.usage, message, hint: hint)
    }

    private init(describing error: ConsoleError) {
        switch error {
        case .read(let reason): self.init(.failure, "cannot read standard input: \(reason)")
        }
    }

    private static func words(for error: UsageError) -> (message: String, hint: String?) {
        switch error {
        case .unknownCommand(let words, let nearest):
            let noun = words.dropLast().map { $0 + " " }.joined()
            return (
                "unknown command '\(words.joined(separator: " "))'",
                nearest.map { "did you mean 'wake \(noun)\($0)'?" } ?? "see 'wake \(noun)--help'"
            )
        case .unknownOption(let name, let nearest):
            return (
                "unknown option '\(name)'",
                nearest.map { "did you mean '\($0)'?" }
                    ?? "'--' before a word that starts with a dash makes it no option"
            )
        case .missingValue(let option): return ("option '\(option)' needs a value", nil)
        case .unexpectedValue(let option): return ("option '\(option)' takes no value", nil)
        case .missing(let positional, let command):
            return ("\(positional) is missing", "see 'wake \(command) --help'")
        case .surplus(let word, let command):
            return ("surplus argument '\(word)'", "see 'wake \(command) --help'")
        case .notInRange(let option, let value, let range):
            let limits = "\(range.lowerBound) to \(range.upperBound)"
            return ("option '\(option)': '\(value)' is not a whole number from \(limits)", nil)
        case .noDataFolder:
            return ("cannot tell where the data is: HOME is not set", "give --data DIR")
        }
    }
}
