internal import Dispatch
internal import Glibc
internal import ProgramKit

/// A file that is useless until it is finished.
enum Draft {
    /// Runs `body`; on a signal, removes the draft and ends the program.
    static func removing<Value>(
        _ draft: String,
        _ output: Output,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let sources = Signals.catching([SIGTERM, SIGINT, SIGHUP]) { _ in
            DraftFile.remove(draft)
            output.writeError(Array("\nwake-server: error: interrupted\n".utf8))
            _exit(ExitCode.failure.rawValue)
        }
        defer { for source in sources { source.cancel() } }
        return try await body()
    }
}
