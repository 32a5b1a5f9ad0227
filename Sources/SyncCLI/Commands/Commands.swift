/// The command table, in the order of the help.
enum Commands {
    static let all: [Command] = [
        help
    ]
}
