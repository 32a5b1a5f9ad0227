import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// One device of a person.
struct LiveDevice {
    let folder: String

    func run(_ words: String...) async -> (code: ExitCode, out: String, err: String) {
        await run(words)
    }

    /// A context with real clocks and a real network.
    var context: TestContext {
        var test = TestContext(environment: ["WAKE_DATA": folder])
        test.context.now = Console.now
        test.context.uptimeMilliseconds = { Console.now().milliseconds }
        test.context.random = .system
        test.context.sleep = { _ in }
        test.context.transport = { HTTPTransport(authority: $0, trust: $1) }
        return test
    }

    func run(_ words: [String]) async -> (code: ExitCode, out: String, err: String) {
        let test = context
        let code = await Wake.program.run(words, in: test.context)
        return (code, test.output.take(), test.error.take())
    }

    /// What a command prints, which must succeed.
    func tell(_ words: String...) async -> String {
        let answer = await run(words)
        #expect(
            answer.code == .success,
            "wake \(words.joined(separator: " ")): \(answer.err)"
        )
        return answer.out
    }
}
