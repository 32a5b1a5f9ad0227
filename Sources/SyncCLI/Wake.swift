internal import CMemory
internal import Glibc
import ProgramKit

@main
enum Wake {
    static let program = Program(
        "wake",
        summary:
            "keeps GPS tracks and settings the same on all devices, with or without a network",
        options: [
            Option("--data DIR", "the replica's folder (WAKE_DATA, else the XDG data folder)")
        ],
        exitCodes: [
            (.success, "done"),
            (.failure, "it failed, or some items did"),
            (.usage, "the command line was not understood"),
            (.notFound, "what was named is not there"),
            (.attention, "something needs your attention"),
            (.network, "no network, or no server; what was written is queued and safe"),
            (
                .authentication,
                "the server refused, or is not the one that is trusted, or 'wake verify' found a fault"
            ),
        ],
        commands: Commands.all,
        describe: UserError.init(describing:)
    )

    static func main() async {
        // An arena for each thread of the pool would stay with what the busiest moment took.
        cmemory_use_one_arena()
        let code = await program.run(CommandLine.arguments.dropFirst(), in: .ofProcess())
        exit(code.rawValue)
    }
}
