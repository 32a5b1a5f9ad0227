/// The words of one call, matched against its command.
struct Arguments: Sendable, Equatable {
    private(set) var positionals: [String: [String]] = [:]
    private(set) var options: [String: [String]] = [:]

    /// The word of a positional that the command requires.
    func required(_ name: String) -> String {
        guard let word = positionals[name]?.first else {
            preconditionFailure("\(name) is not a required positional of this command")
        }
        return word
    }

    /// The word of a positional that may be left out.
    func optional(_ name: String) -> String? { positionals[name]?.first }

    /// The words of a repeated positional.
    func list(_ name: String) -> [String] { positionals[name] ?? [] }

    /// The value of an option, the last where it was given twice.
    func option(_ name: String) -> String? { options[name]?.last }

    /// Whether a flag was given.
    func flag(_ name: String) -> Bool { options[name] != nil }

    /// The value of an option as a whole number in a range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = option(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .notInRange(option: name, value: text, range: range)
        }
        return number
    }
}

extension Arguments {
    /// The value of an option that takes one of some words.
    func choice<Choice>(_ name: String) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let word = option(name) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        throw Complaint(
            .usage,
            "\(name) takes no '\(word)'",
            hint: Spelling.nearest(to: word, in: words).map { "did you mean '\($0)'?" }
                ?? "it takes \(words.joined(separator: ", "))"
        )
    }
}

/// What a command line asks for.
enum Request: Sendable {
    /// Run a command.
    case run(Command, Arguments)
    /// Explain the commands whose path starts with these words.
    case help([String])
    case version(Arguments)
}

extension Request {
    /// Finds the command, then matches the words that are left.
    ///
    /// Options may stand anywhere.
    init(_ words: some Sequence<String>, commands: [Command]) throws(UsageError) {
        var parser = Parser(commands: commands, words: Array(words))
        self = try parser.parse()
    }
}

/// Why a command line was not understood.
enum UsageError: Error, Equatable {
    /// No command starts with these words; `nearest` is a word that would do in the last's place.
    case unknownCommand([String], nearest: String?)
    /// An option that this command does not have.
    case unknownOption(String, nearest: String?)
    /// An option without the value it needs.
    case missingValue(option: String)
    /// A flag with `=value`.
    case unexpectedValue(option: String)
    /// A required word that is missing.
    case missing(positional: String, command: String)
    /// A word too many.
    case surplus(String, command: String)
    /// A value that is no whole number, or beyond its range.
    case notInRange(option: String, value: String, range: ClosedRange<Int>)
    /// Neither `--data` nor an environment variable says where the data is.
    case noDataFolder
}

/// Walks over the words once, from left to right.
private struct Parser {
    let commands: [Command]
    let words: [String]
    var next = 0
    var path: [String] = []
    var loose: [String] = []
    var arguments = Arguments()

    mutating func parse() throws(UsageError) -> Request {
        while next < words.count {
            let word = words[next]
            next += 1
            if word == "--" {
                loose += words[next...]
                break
            }
            try take(word)
        }
        if arguments.flag("--version") { return .version(arguments) }
        guard let command, !arguments.flag("--help") else { return try help() }
        try place(in: command)
        return .run(command, arguments)
    }

    /// The command of the path so far, once nothing longer can follow.
    private var command: Command? { commands.first { $0.path == path } }

    private mutating func take(_ word: String) throws(UsageError) {
        if word.hasPrefix("-"), word != "-", word.dropFirst().first?.isNumber != true {
            try option(word == "-h" ? "--help" : word)
        } else if loose.isEmpty,
            commands.contains(where: { $0.path.starts(with: path + [word]) })
        {
            path.append(word)
        } else if command != nil {
            loose.append(word)
        } else {
            let candidates = commands.filter { $0.path.starts(with: path) }
                .compactMap { $0.path.dropFirst(path.count).first }
            let nearest = Spelling.nearest(to: word, in: candidates)
            throw .unknownCommand(path + [word], nearest: nearest)
        }
    }

    private mutating func option(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let known = Option.global + (command?.options ?? [])
        guard let option = known.first(where: { $0.name == name }) else {
            throw .unknownOption(name, nearest: Spelling.nearest(to: name, in: known.map(\.name)))
        }
        if option.value == nil {
            guard parts.count == 1 else { throw .unexpectedValue(option: name) }
            arguments.record(option: name, value: "")
        } else if parts.count == 2 {
            arguments.record(option: name, value: String(parts[1]))
        } else {
            guard next < words.count else { throw .missingValue(option: name) }
            arguments.record(option: name, value: words[next])
            next += 1
        }
    }

    private func help() throws(UsageError) -> Request {
        if let word = loose.first, command == nil {
            throw .unknownCommand(path + [word], nearest: nil)
        }
        return .help(path)
    }

    private mutating func place(in command: Command) throws(UsageError) {
        for positional in command.positionals {
            let taken = positional.isRepeated ? loose : Array(loose.prefix(1))
            loose.removeFirst(taken.count)
            guard !taken.isEmpty || positional.isOptional else {
                throw .missing(positional: positional.name, command: command.name)
            }
            arguments.record(positional: positional.name, words: taken)
        }
        if let word = loose.first { throw .surplus(word, command: command.name) }
    }
}

extension Arguments {
    fileprivate mutating func record(option: String, value: String) {
        options[option, default: []].append(value)
    }

    fileprivate mutating func record(positional: String, words: [String]) {
        positionals[positional] = words
    }
}
