internal import CMemory
internal import Glibc

@main
enum Wake {
    static func main() async {
        // An arena for each thread of the pool would stay with what the busiest moment took.
        cmemory_use_one_arena()
        let program = Program(commands: Commands.all)
        let code = await program.run(CommandLine.arguments.dropFirst(), in: Console.context())
        exit(code.rawValue)
    }
}
