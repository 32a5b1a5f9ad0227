internal import CTerminal
internal import Glibc
package import SyncCore

/// The streams, the environment and the clock of this process.
package enum Console {
    /// The streams of a program of this name.
    ///
    /// - Parameter sendResult: sends bytes to standard output.
    package static func output(
        of program: String,
        _ environment: [String: String],
        sendResult: @escaping @Sendable ([UInt8]) -> Void
    ) -> Output {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let width =
            environment["COLUMNS"].flatMap { Int($0) }
            ?? Int(cterminal_columns(STDOUT_FILENO))
        return Output(
            of: program,
            write: sendResult,
            // Nobody is left to be told of it, and what the command does matters more.
            writeError: { _ = send($0, to: STDERR_FILENO) },
            isTerminal: isTerminal,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            columns: width > 0 ? width : nil,
            isColoured: isTerminal && environment["NO_COLOR", default: ""].isEmpty
                && environment["TERM"] != "dumb"
        )
    }

    /// The wall clock of the system.
    @Sendable package static func now() -> UnixTime {
        UnixTime(milliseconds: milliseconds(of: CLOCK_REALTIME))
    }

    /// Milliseconds since the start of the machine, its sleep included.
    @Sendable package static func uptimeMilliseconds() -> Int64 {
        milliseconds(of: CLOCK_BOOTTIME)
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The environment variables.
    package static func variables() -> [String: String] {
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
    package static func fillStreams() {
        while true {
            let descriptor = unsafe open("/dev/null", O_RDONLY)
            guard (0...STDERR_FILENO).contains(descriptor) else {
                close(descriptor)
                return
            }
        }
    }

    /// Sends all the bytes; `errno` where they cannot be written, else 0.
    @discardableResult
    package static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
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

    /// The next bytes of standard input; none at its end, and after an interrupt.
    @Sendable package static func receive() throws(UserError) -> [UInt8] {
        while true {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
            if count >= 0 { return Array(bytes.prefix(count)) }
            if Interrupt.isRaised { return [] }
            guard errno == EINTR else {
                let reason = SystemReason.text(errno)
                throw UserError(.failure, "cannot read standard input: \(reason)")
            }
        }
    }
}
