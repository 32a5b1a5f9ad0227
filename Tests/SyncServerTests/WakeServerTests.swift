import ProgramKit
import Testing

@testable import SyncServer

/// The program as a whole, without a server.
@Suite struct WakeServerTests {
    private func run(_ words: String...) async -> ProgramRun { await ProgramRun(words) }

    @Test func `help explains the program and each command`() async {
        let all = await run("help")
        #expect(all.code == .success && all.errors.isEmpty)
        for command in WakeServer.program.commands {
            #expect(all.output.contains(command.summary))
            let name = command.name.split(separator: " ").map(String.init)
            let one = await ProgramRun(["help"] + name)
            let asked = await ProgramRun(name + ["--help"])
            #expect(one.output == asked.output && one.code == .success)
            #expect(one.output.hasPrefix("wake-server \(command.name): "))
            for option in command.options { #expect(one.output.contains(option.notation)) }
            for line in (all.output + one.output).split(separator: "\n") {
                #expect(line.count <= 80, "\(line)")
            }
        }
    }

    @Test(
        arguments: [
            ("serv", "did you mean 'wake-server serve'?"),
            ("serve --lisen x", "did you mean '--listen'?"),
            ("backup", "see 'wake-server backup --help'"),
            ("backup f g", "see 'wake-server backup --help'"), ("doctor", "--data is missing"),
        ]
    )
    func `what is not understood is told with a hint`(line: String, words: String) async {
        let parts = line.split(separator: " ").map(String.init)
        let told = await ProgramRun(parts)
        #expect(told.code == .usage && told.errors.contains(words), "\(told.errors)")
    }

    @Test func `the version is that of both programs`() async {
        #expect(await run("--version").output == "wake-server \(Version.current)\n")
        let json = "{\n  \"version\": \"\(Version.current)\"\n}\n"
        #expect(await run("--version", "--json").output == json)
    }
}
