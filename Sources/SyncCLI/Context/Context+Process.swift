internal import Glibc
import ProgramKit
import SyncCore

extension Context {
    /// The context of this process.
    static func ofProcess(_ presenters: [RowPresenter]) -> Context {
        Console.fillStreams()
        let environment = Console.variables()
        return Context(
            environment: environment,
            output: Console.output(of: "wake", environment, sendResult: sendResult),
            input: Console.receive,
            inputPath: { InputFile.path(of: STDIN_FILENO) },
            catchInterrupts: Interrupt.catchNext,
            now: Console.now,
            uptimeMilliseconds: Console.uptimeMilliseconds,
            boot: boot,
            systemZone: { SystemZone.name() },
            hostName: hostName,
            sleep: { try await Task.sleep(for: .milliseconds($0)) },
            transport: { HTTPTransport(authority: $0, trust: $1) },
            random: .system,
            presenters: presenters
        )
    }

    /// Returns the kernel's random UUID of this boot, or zero if it cannot be read.
    @Sendable private static func boot() -> Identifier {
        do {
            let text = try InputFile.bytes(of: "/proc/sys/kernel/random/boot_id")
            let digits = String(decoding: text, as: UTF8.self).filter(\.isHexDigit)
            return [UInt8](hexadecimal: digits).flatMap { Identifier(bytes: $0) } ?? .zero
        } catch {
            return .zero
        }
    }

    @Sendable private static func hostName() -> String {
        var name = [UInt8](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "device" }
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? "device" : text
    }

    /// Writes a result to standard output and exits on failure.
    ///
    /// If the reader closed the pipe, the program exits silently, as it would with SIGPIPE.
    @Sendable private static func sendResult(_ bytes: [UInt8]) {
        let code = Console.send(bytes, to: STDOUT_FILENO)
        guard code != 0 else { return }
        if code != EPIPE {
            let error = FileError(action: .write, path: "standard output", code: code)
            let hint = "the command itself succeeded; check where its output goes"
            let message = UserError(describing: error).message
            let text = "wake: error: \(message)\nwake: hint: \(hint)\n"
            Console.send(Array(text.utf8), to: STDERR_FILENO)
        }
        exit(ExitCode.failure.rawValue)
    }
}
