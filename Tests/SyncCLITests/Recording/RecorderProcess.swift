import Foundation
import Harness
import SyncCore

@testable import SyncCLI

/// A `wake record` in a process of its own, fed through a pipe.
final class RecorderProcess {
    private let process: SpawnedProcess
    private let pipe = Pipe()

    /// The program beside the tests.
    static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "wake")

    /// - Parameter errors: a file that takes the messages; the tests' own standard error by default.
    init(_ words: [String], data: String, errors: FileHandle? = nil) throws {
        // A recorder that died early is a failure to be told, not the end of the tests.
        signal(SIGPIPE, SIG_IGN)
        process = try SpawnedProcess(
            Self.program.path(),
            words,
            environment: ProcessInfo.processInfo.environment.merging(["WAKE_DATA": data]) { $1 },
            SpawnedProcess.Streams(input: pipe.fileHandleForReading, errors: errors)
        )
        try pipe.fileHandleForReading.close()
    }

    var hasEnded: Bool { !process.isRunning }

    /// Writes a fix as a receiver does.
    func write(_ time: UnixTime) throws {
        let (days, milliseconds) = time.dayAndTime
        let (hour, minute) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let second = Double(milliseconds % 60_000) / 1000
        let date = CivilDate(days: Int(days))
        let day = String(format: "%02d%02d%02d", date.day, date.month, date.year % 100)
        let text = String(
            format: "GPRMC,%02d%02d%06.3f,A,5251.0000,N,00518.0000,E,5.0,90.0,%@,,,A",
            hour,
            minute,
            second,
            day
        )
        let sum = String(format: "%02X", text.utf8.reduce(0, ^))
        try pipe.fileHandleForWriting.write(contentsOf: Data("$\(text)*\(sum)\r\n".utf8))
    }

    /// Ends the process at once, as a dead battery does.
    func kill() {
        process.send(SIGKILL)
        process.waitUntilExit()
    }

    /// Sends a signal and waits for the end; returns the exit code.
    func end(_ signal: Int32) -> Int32 {
        process.send(signal)
        return code(process.waitUntilExit())
    }

    /// Ends the pipe and waits for the end; returns the exit code.
    func endInput() throws -> Int32 {
        try pipe.fileHandleForWriting.close()
        return code(process.waitUntilExit())
    }

    /// The exit code; the negative number of the signal that ended it.
    private func code(_ ending: SpawnedProcess.Ending) -> Int32 {
        switch ending {
        case .code(let code): code
        case .signal(let signal): -signal
        }
    }

    deinit {
        process.send(SIGKILL)
        process.waitUntilExit()
    }
}
