import Foundation
import Harness

/// The programs as they were built beside these tests.
enum BuiltProgram: String, Sendable {
    case wake
    case server = "wake-server"

    var path: String { Self.folder + rawValue }

    private static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path()
}

/// What a program printed, and how it ended.
struct Outcome: Sendable {
    let command: String
    /// The exit code, nil where a signal ended it.
    let code: Int32?
    let output: String
    let errors: String

    /// The outcome, where the program ended with 0.
    func checked() throws -> Outcome {
        guard code == 0 else { throw UnexpectedEnd(outcome: self) }
        return self
    }

    /// The JSON document that was printed.
    func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        try JSONDecoder().decode(type, from: Data(output.utf8))
    }

    /// The JSON documents that were printed, one in each line.
    func jsonLines<Document: Decodable>(_ type: Document.Type) throws -> [Document] {
        try output.split(separator: "\n").map { line in
            try JSONDecoder().decode(type, from: Data(line.utf8))
        }
    }
}

/// A program did not end with 0.
struct UnexpectedEnd: Error, CustomStringConvertible {
    let outcome: Outcome

    var description: String {
        """
        \(outcome.command) ended with \(outcome.code.map(String.init) ?? "a signal")
        \(outcome.output)\(outcome.errors)
        """
    }
}

/// A process of ours; it is killed when nobody refers to it any more.
final class RunningProgram: Sendable {
    private let process: SpawnedProcess
    let command: String
    private let files: (output: String, errors: String)

    /// Starts a program; what it prints goes to files in `folder`.
    init(
        _ path: String,
        _ words: [String],
        in folder: String,
        input: FileHandle? = nil
    ) throws {
        command = ([path] + words).joined(separator: " ")
        let name = folder + "/" + UUID().uuidString
        files = (name + ".out", name + ".err")
        let streams = SpawnedProcess.Streams(
            input: input,
            output: try Self.file(files.output),
            errors: try Self.file(files.errors)
        )
        process = try SpawnedProcess(path, words, streams)
    }

    deinit {
        process.send(SIGKILL)
        process.waitUntilExit()
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    var isRunning: Bool { process.isRunning }

    /// The most memory that it had so far, in KiB; nil if it has ended.
    var peakKibibytes: Int? {
        let status = Self.text("/proc/\(process.identifier)/status")
        return status.firstMatch(of: /VmHWM:\s*(\d+) kB/).flatMap { Int($0.output.1) }
    }

    /// What was printed so far.
    var output: String { Self.text(files.output) }

    /// What was complained of so far.
    var errors: String { Self.text(files.errors) }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// Sends a signal, unless the process is gone already.
    func send(_ signal: Int32) {
        process.send(signal)
    }

    /// Waits for the end.
    @discardableResult
    func finish() async -> Outcome {
        let ending = await awaiting("the end of \(command)") { await process.finish() }
        var code: Int32?
        if case .code(let number) = ending { code = number }
        return Outcome(
            command: command,
            code: code,
            output: output,
            errors: errors
        )
    }
}
