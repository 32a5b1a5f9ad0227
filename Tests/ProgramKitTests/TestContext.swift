import ProgramKit
import SyncCore
import Synchronization

/// Collects what a program writes.
final class Written: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    /// Adds bytes.
    @Sendable func write(_ more: [UInt8]) {
        bytes.withLock { $0 += more }
    }

    /// Returns what was written since the last call.
    func take() -> String {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// A context that has only streams, and those belong to the test.
struct TestContext: CommandContext {
    let written: Written
    let errors: Written
    var output: Output

    init() {
        let (written, errors) = (Written(), Written())
        (self.written, self.errors) = (written, errors)
        output = Output(of: "wake", write: written.write, writeError: errors.write)
    }

    func following(_ arguments: Arguments) -> TestContext {
        var context = self
        context.output = output.following(arguments)
        return context
    }
}

extension Program where Context == TestContext {
    /// A program of these commands.
    static func test(_ commands: [Command<TestContext>]) -> Program {
        Program(
            "wake",
            summary: "is tested",
            options: [Option("--data DIR", "a folder")],
            exitCodes: [(.success, "done")],
            commands: commands
        ) { UserError.failure("\($0)") }
    }
}
