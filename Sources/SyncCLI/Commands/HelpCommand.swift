extension Commands {
    static let help = Command(
        "help",
        "[WORD...]",
        summary: "explain a command, a group of commands, or all of them"
    ) { arguments, context in
        let path = arguments.list("WORD")
        guard all.contains(where: { $0.path.starts(with: path) }) else {
            throw UsageError.unknownCommand(path, nearest: nil)
        }
        context.output.text(Help(commands: all).text(for: path))
        return .success
    }
}
