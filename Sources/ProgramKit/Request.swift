/// A parsed command line.
package enum Request<Context: CommandContext>: Sendable {
    case run(Command<Context>, Arguments)
    /// Explain the commands whose path starts with these words.
    case help([String])
    case version(Arguments)
}

extension Request {
    /// Finds the command and matches the remaining words to it.
    ///
    /// Options that every command has may stand anywhere; a command's own options follow its words.
    package init(_ words: some Sequence<String>, of program: Program<Context>) throws(UsageError) {
        var parser = Parser(program: program, commands: program.commands, words: Array(words))
        self = try parser.parse()
    }
}

/// Parses the words once, from left to right.
private struct Parser<Context: CommandContext> {
    let program: Program<Context>
    let commands: [Command<Context>]
    let words: [String]
    var next = 0
    var path: [String] = []
    var loose: [String] = []
    var arguments = Arguments()

    mutating func parse() throws(UsageError) -> Request<Context> {
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

    /// The command with exactly the path read so far, or nil.
    private var command: Command<Context>? { commands.first { $0.path == path } }

    private mutating func take(_ word: String) throws(UsageError) {
        if word.hasPrefix("-"), word != "-", word.dropFirst().first?.isNumber != true {
            try takeOption(word == "-h" ? "--help" : word)
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

    private mutating func takeOption(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let known = program.options + (command?.options ?? [])
        guard let option = known.first(where: { $0.name == name }) else {
            throw .unknownOption(name, nearest: Spelling.nearest(to: name, in: known.map(\.name)))
        }
        if option.value == nil {
            guard parts.count == 1 else { throw .unexpectedValue(option: name) }
            arguments.options[name, default: []].append("")
        } else if parts.count == 2 {
            arguments.options[name, default: []].append(String(parts[1]))
        } else {
            guard next < words.count else { throw .missingValue(option: name) }
            arguments.options[name, default: []].append(words[next])
            next += 1
        }
    }

    private func help() throws(UsageError) -> Request<Context> {
        if let word = loose.first, command == nil {
            throw .unknownCommand(path + [word], nearest: nil)
        }
        return .help(path)
    }

    private mutating func place(in command: Command<Context>) throws(UsageError) {
        for positional in command.positionals {
            let taken = positional.isRepeated ? loose : Array(loose.prefix(1))
            loose.removeFirst(taken.count)
            guard !taken.isEmpty || positional.isOptional else {
                throw .missing(positional.name, command: command.name)
            }
            arguments.positionals[positional.name] = taken
        }
        if let word = loose.first { throw .surplus(word, command: command.name) }
    }
}
