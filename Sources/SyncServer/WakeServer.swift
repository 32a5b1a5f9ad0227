internal import Glibc
internal import ProgramKit

@main
enum WakeServer {
    static let version = Version.current

    static let program = Program(
        "wake-server",
        summary: "stores and relays the signed changes of devices",
        options: [
            Option("--data DIR", "the store, its views, the master key and the TLS key (required)")
        ],
        exitCodes: [
            (.success, "done"),
            (.failure, "it failed, or was interrupted, or 'doctor' found trouble"),
            (.usage, "the command line is not valid"),
            (.notFound, "the FILE to restore, or the space, does not exist"),
            (.attention, "the FILE for a backup already exists"),
        ],
        commands: [
            ServeCommand.command, InviteCommand.command, BackupCommand.command,
            RestoreCommand.command, DoctorCommand.command, SpacesListCommand.command,
            SpacesReleaseCommand.command, DevicesListCommand.command,
        ],
        describe: UserError.init(describing:)
    )

    static func main() async {
        umask(0o077)
        // A closed pipe on standard output must not end a server.
        let output = Console.output(of: program.name, Console.variables()) {
            Console.send($0, to: STDOUT_FILENO)
        }
        let context = ServerContext(output: output)
        let code = await program.run(CommandLine.arguments.dropFirst(), in: context)
        exit(code.rawValue)
    }
}
