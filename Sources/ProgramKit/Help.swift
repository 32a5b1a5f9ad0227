/// The help texts, generated from the command table.
package struct Help<Context: CommandContext> {
    private let program: Program<Context>
    private let commands: [Command<Context>]

    package init(of program: Program<Context>) {
        self.program = program
        commands = program.commands
    }

    /// Returns the help for the program (empty path), a group of commands, or one command.
    package func text(for path: [String]) -> String {
        if let command = commands.first(where: { $0.path == path }) { return text(of: command) }
        let chosen = commands.filter { $0.path.starts(with: path) }
        let name = ([program.name] + path).joined(separator: " ")
        let next = path.isEmpty ? "COMMAND" : "VERB"
        return [
            path.isEmpty ? introduction : "\(name) VERB",
            section("commands", chosen.map { (usage(of: $0), $0.summary) }),
            globalOptions,
            section("exit codes", program.exitCodes.map { ("\($0.code.rawValue)", $0.meaning) }),
            "help for one command: \(name) \(next) --help\n",
        ].joined(separator: "\n")
    }

    private var introduction: String {
        """
        \(program.name) \(program.summary)

        usage: \(program.name) COMMAND [OPTION...]

        """
    }

    private func text(of command: Command<Context>) -> String {
        var parts = ["\(program.name) \(command.name): \(command.summary)\n"]
        let hint = command.options.isEmpty ? "" : " [OPTION...]"
        parts.append("usage: \(program.name) \(usage(of: command))\(hint)\n")
        if !command.details.isEmpty { parts.append(command.details + "\n") }
        let further = commands.filter {
            $0.path.starts(with: command.path) && $0.path != command.path
        }
        if !further.isEmpty {
            parts.append(section("subcommands", further.map { (usage(of: $0), $0.summary) }))
        }
        if !command.options.isEmpty {
            parts.append(section("options", command.options.map { ($0.notation, $0.summary) }))
        }
        return (parts + [globalOptions]).joined(separator: "\n")
    }

    private var globalOptions: String {
        section("global options", program.options.map { ($0.notation, $0.summary) })
    }

    private func usage(of command: Command<Context>) -> String {
        (command.path + command.positionals.map(\.notation)).joined(separator: " ")
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return "\(title):\n"
            + rows.map { "  \($0.0.padded(to: width))  \($0.1)\n" }.joined()
    }
}
