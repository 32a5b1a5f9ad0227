package import Foundation
import Synchronization

/// A child process that inherits nothing but its three streams.
///
/// Foundation's `Process` learns of an end through a socket that any other child inherits which is
/// started meanwhile, so among children started at once an end is told late or never (swift 6.3.1,
/// Linux).
package final class SpawnedProcess: Sendable {
    /// How a process ended.
    package enum Ending: Hashable, Sendable {
        /// It exited with this code.
        case code(Int32)
        /// This signal ended it.
        case signal(Int32)
    }

    /// The three streams of a child; what is not given is `/dev/null`.
    package struct Streams {
        package var input: FileHandle?
        package var output: FileHandle?
        package var errors: FileHandle?

        package init(
            input: FileHandle? = nil,
            output: FileHandle? = nil,
            errors: FileHandle? = nil
        ) {
            self.input = input
            self.output = output
            self.errors = errors
        }
    }

    package let identifier: pid_t
    private let ending = Mutex<Ending?>(nil)

    /// Starts the program at `path`.
    ///
    /// Errors: ``SpawnError``.
    package init(
        _ path: String,
        _ words: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        _ streams: Streams
    ) throws {
        guard let test = WatchedTest.current else { throw SpawnError.noLimit }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let handles = [streams.input, streams.output, streams.errors]
        for (number, handle) in handles.enumerated() {
            let source = (handle ?? FileHandle.nullDevice).fileDescriptor
            unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(number))
        }
        try Self.keepDescriptors()
        var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer {
            for index in unsafe arguments.indices { unsafe free(arguments[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, path, &actions, nil, &arguments, &variables)
        guard code == 0 else { throw SpawnError.notStarted(path: path, errno: code) }
        self.identifier = identifier
        test.adopt(self)
    }

    /// Has every descriptor but the three streams stay in this process.
    private static func keepDescriptors() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let descriptor = Int32(name), descriptor > 2 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Whether it did not end yet.
    package var isRunning: Bool { reap() == nil }

    /// Sends a signal, unless it ended.
    package func send(_ signal: Int32) {
        ending.withLock { if $0 == nil { kill(identifier, signal) } }
    }

    /// Blocks until it ended.
    @discardableResult
    package func waitUntilExit() -> Ending {
        while true {
            if let ending = reap() { return ending }
            var information = unsafe siginfo_t()
            unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT)
        }
    }

    /// Waits until it ended, on a thread of its own.
    package func finish() async -> Ending {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.waitUntilExit()) }
        }
    }

    private func reap() -> Ending? {
        ending.withLock { ending in
            var status: Int32 = 0
            if ending == nil, unsafe waitpid(identifier, &status, WNOHANG) == identifier {
                let signal = status & 0x7f
                ending = signal == 0 ? .code(status >> 8 & 0xff) : .signal(signal)
            }
            return ending
        }
    }
}

/// Why a program was not started.
package enum SpawnError: Error, Equatable {
    /// The suite of the test has no trait such as `.processes`, so nothing would end a hang.
    case noLimit
    /// There is no such program, or the machine has no room for it.
    case notStarted(path: String, errno: Int32)
}
