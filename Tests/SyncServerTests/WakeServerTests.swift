import ProgramKit
import Synchronization
import Testing

@testable import SyncServer

/// The program as a whole, without a server.
@Suite struct WakeServerTests {
    private final class Text: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        var string: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
        @Sendable func write(_ more: [UInt8]) { bytes.withLock { $0 += more } }
    }

    private func run(_ words: String...) async -> (code: ExitCode, output: String, errors: String) {
        await run(words)
    }

    private func run(_ words: [String]) async -> (code: ExitCode, output: String, errors: String) {
        let (output, errors) = (Text(), Text())
        let streams = Output(of: "wake-server", write: output.write, writeError: errors.write)
        let code = await WakeServer.program.run(words, in: ServerContext(output: streams))
        return (code, output.string, errors.string)
    }

    @Test func `help explains the program and each command`() async {
        let all = await run("help")
        #expect(all.code == .success && all.errors.isEmpty)
        for command in WakeServer.program.commands {
            #expect(all.output.contains(command.summary))
            let name = command.name.split(separator: " ").map(String.init)
            let one = await run(["help"] + name)
            let asked = await run(name + ["--help"])
            #expect(one.output == asked.output && one.code == .success)
            #expect(one.output.hasPrefix("wake-server \(command.name): "))
            for option in command.options { #expect(one.output.contains(option.notation)) }
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
        let errors = Text()
        let output = Output(of: "wake-server", write: { _ in }, writeError: errors.write)
        let code = await WakeServer.program.run(parts, in: ServerContext(output: output))
        #expect(code == .usage && errors.string.contains(words), "\(errors.string)")
    }

    @Test func `the version is that of both programs`() async {
        #expect(await run("--version").output == "wake-server \(Version.current)\n")
        let json = "{\n  \"version\": \"\(Version.current)\"\n}\n"
        #expect(await run("--version", "--json").output == json)
    }
}
