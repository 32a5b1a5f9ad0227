internal import Glibc

@main
enum Wake {
    static func main() async {
        let program = Program(commands: Commands.all)
        let code = await program.run(CommandLine.arguments.dropFirst(), in: Console.context())
        exit(code.rawValue)
    }
}
