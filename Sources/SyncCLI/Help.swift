/// Help made from the command table.
struct Help {
    let commands: [Command]

    /// Explains the program (no words), a group of commands, or one command.
    func text(for path: [String]) -> String {
        if let command = commands.first(where: { $0.path == path }) { return text(of: command) }
        let chosen = commands.filter { $0.path.starts(with: path) }
        let rows = chosen.map { (usage(of: $0), $0.summary) }
        let title = path.isEmpty ? introduction : "wake \(path.joined(separator: " ")) VERB"
        let call = (["wake"] + path + [path.isEmpty ? "COMMAND" : "VERB", "--help"])
            .joined(separator: " ")
        let codes = ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
        return [
            title,
            section("commands", rows),
            section("options of every command", Option.global.map { ($0.notation, $0.summary) }),
            section("exit codes", codes),
            "more about one of them: \(call)\n",
        ].joined(separator: "\n")
    }

    private var introduction: String {
        """
        wake keeps GPS tracks and settings the same on all devices, with or without a network

        usage: wake COMMAND [OPTION...]

        """
    }

    private func text(of command: Command) -> String {
        var parts = ["wake \(command.name): \(command.summary)\n"]
        let hint = command.options.isEmpty ? "" : " [OPTION...]"
        parts.append("usage: wake \(usage(of: command))\(hint)\n")
        if !command.details.isEmpty { parts.append(command.details + "\n") }
        let further = commands.filter {
            $0.path.starts(with: command.path) && $0.path != command.path
        }
        if !further.isEmpty {
            parts.append(section("further", further.map { (usage(of: $0), $0.summary) }))
        }
        if !command.options.isEmpty {
            parts.append(section("options", command.options.map { ($0.notation, $0.summary) }))
        }
        let global = Option.global.map { ($0.notation, $0.summary) }
        parts.append(section("options of every command", global))
        return parts.joined(separator: "\n")
    }

    private func usage(of command: Command) -> String {
        (command.path + command.positionals.map(\.notation)).joined(separator: " ")
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return "\(title):\n"
            + rows.map { "  \($0.0.padded(to: width))  \($0.1)\n" }.joined()
    }
}
