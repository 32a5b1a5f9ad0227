internal import CTerminal
internal import Glibc
import SyncCore

/// The process around the program: streams, environment and clock.
enum Console {
    /// The context of this process.
    static func context() -> Context {
        fillStreams()
        let environment = variables()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let width =
            environment["COLUMNS"].flatMap { Int($0) }
            ?? Int(cterminal_columns(STDOUT_FILENO))
        let output = Output(
            write: sendResult,
            // Nobody is left to be told of it, and what the command does matters more.
            writeError: { _ = send($0, to: STDERR_FILENO) },
            isTerminal: isTerminal,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            columns: width > 0 ? width : nil,
            isColoured: isTerminal && environment["NO_COLOR", default: ""].isEmpty
                && environment["TERM"] != "dumb"
        )
        return Context(
            environment: environment,
            output: output,
            input: receive,
            inputPath: { InputFile.path(of: STDIN_FILENO) },
            catchInterrupts: Interrupt.catchNext,
            now: now,
            uptimeMilliseconds: uptimeMilliseconds,
            boot: boot,
            systemZone: { SystemZone.name() },
            hostName: hostName,
            sleep: { try await Task.sleep(for: .milliseconds($0)) },
            transport: { HTTPTransport(authority: $0, trust: $1) },
            random: .system
        )
    }

    /// The wall clock of the system.
    @Sendable static func now() -> UnixTime {
        UnixTime(milliseconds: milliseconds(of: CLOCK_REALTIME))
    }

    /// Sleep of the machine included.
    @Sendable private static func uptimeMilliseconds() -> Int64 {
        milliseconds(of: CLOCK_BOOTTIME)
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Linux names each start of the machine by a random UUID; zero where it does not tell.
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

    private static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }

    /// Gives streams that were closed before the start a number of their own: else the next file
    /// that is opened would get what is printed.
    private static func fillStreams() {
        while true {
            let descriptor = unsafe open("/dev/null", O_RDONLY)
            guard (0...STDERR_FILENO).contains(descriptor) else {
                close(descriptor)
                return
            }
        }
    }

    /// Sends a result; where it cannot be written there is nothing left to do.
    ///
    /// A reader that went away ends the program quietly, as it would with SIGPIPE.
    @Sendable private static func sendResult(_ bytes: [UInt8]) {
        let code = send(bytes, to: STDOUT_FILENO)
        guard code != 0 else { return }
        if code != EPIPE {
            let error = FileError(action: .write, path: "standard output", code: code)
            let hint = "what the command did is done; see where its output goes"
            let text = "wake: error: \(Complaint(describing: error).message)\nwake: hint: \(hint)\n"
            _ = send(Array(text.utf8), to: STDERR_FILENO)
        }
        exit(ExitCode.failure.rawValue)
    }

    /// Sends all the bytes; `errno` where they cannot be written, else 0.
    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    @Sendable private static func receive() throws(ConsoleError) -> [UInt8] {
        while true {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
            if count >= 0 { return Array(bytes.prefix(count)) }
            if Interrupt.isRaised { return [] }
            guard errno == EINTR else { throw .read(unsafe String(cString: strerror(errno))) }
        }
    }
}

/// Why a stream of the process failed.
enum ConsoleError: Error, Equatable {
    /// Standard input cannot be read, for this reason of the system.
    case read(String)
}
