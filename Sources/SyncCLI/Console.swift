internal import CTerminal
internal import Glibc
import SyncCore

/// The process around the program: streams, environment and clock.
enum Console {
    /// The context of this process.
    static func context() -> Context {
        let environment = variables()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let width =
            environment["COLUMNS"].flatMap { Int($0) }
            ?? Int(cterminal_columns(STDOUT_FILENO))
        let output = Output(
            write: { send($0, to: STDOUT_FILENO) },
            writeError: { send($0, to: STDERR_FILENO) },
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
            catchInterrupts: Interrupt.catchNext,
            now: now,
            random: .system
        )
    }

    /// The wall clock of the system.
    @Sendable static func now() -> UnixTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
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

    /// Sends all the bytes.
    ///
    /// A reader that went away ends the program, as it would with SIGPIPE.
    private static func send(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                exit(ExitCode.failure.rawValue)
            }
        }
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
