internal import CTerminal
internal import Glibc
package import SyncCore

/// The streams, environment and clocks of this process.
package enum Console {
    /// Returns the output of a program with this name.
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
            // A failed write to standard error cannot be reported and must not stop the command.
            writeError: { _ = send($0, to: STDERR_FILENO) },
            isTerminal: isTerminal,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            columns: width > 0 ? width : nil,
            isColoured: isTerminal && environment["NO_COLOR", default: ""].isEmpty
                && environment["TERM"] != "dumb"
        )
    }

    /// The system's wall clock.
    @Sendable package static func now() -> UnixTime {
        UnixTime(milliseconds: milliseconds(of: CLOCK_REALTIME))
    }

    /// Milliseconds since boot, including suspended time.
    @Sendable package static func uptimeMilliseconds() -> Int64 { milliseconds(of: CLOCK_BOOTTIME) }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

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

    /// Opens `/dev/null` for each standard stream that was closed at start.
    ///
    /// Otherwise the next opened file would take its descriptor and receive the printed text.
    package static func fillStreams() {
        while true {
            let descriptor = unsafe open("/dev/null", O_RDONLY)
            guard (0...STDERR_FILENO).contains(descriptor) else {
                close(descriptor)
                return
            }
        }
    }

    /// Writes all bytes; returns 0, or `errno` if a write fails.
    @discardableResult
    package static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            guard count != 0 else { return EIO }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Reads the next bytes of standard input; returns none at its end or after an interrupt.
    @Sendable package static func receive() throws(UserError) -> [UInt8] {
        while true {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
            if count >= 0 { return Array(bytes.prefix(count)) }
            if Interrupt.isRaised { return [] }
            guard errno == EINTR else {
                let reason = SystemReason.text(errno)
                throw UserError.failure("cannot read standard input: \(reason)")
            }
        }
    }
}
