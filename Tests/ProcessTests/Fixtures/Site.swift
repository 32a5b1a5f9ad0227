import Foundation
import Harness
import SyncCore

/// A folder with the data of a server and of its devices, which goes away with the test.
final class Site: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "wake-process-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path + "/printed",
            withIntermediateDirectories: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Starts a program whose output is kept in this folder.
    func start(
        _ path: String,
        _ words: [String],
        input: FileHandle? = nil
    ) throws -> RunningProgram {
        try RunningProgram(path, words, in: self.path + "/printed", input: input)
    }

    /// Starts the server and waits until it listens.
    func startServer(_ words: [String] = [], at address: String = "127.0.0.1:0") async throws
        -> RunningServer
    {
        let program = try start(
            BuiltProgram.server.path,
            ["serve", "--data", path + "/server", "--listen", address, "--health", "none"] + words
        )
        return try await RunningServer(program, site: self)
    }

    /// Starts the server under a wall clock that is off.
    func startServer(clock offset: String) async throws -> RunningServer {
        let words = ["serve", "--data", path + "/server", "--listen", "127.0.0.1:0"]
        return try await RunningServer(
            try start(BuiltProgram.server.path, words + ["--health", "none"], clock: offset),
            site: self
        )
    }

    /// A link for a new person's first device.
    func invite() async throws -> String {
        try await start(
            BuiltProgram.server.path,
            ["invite", "ann", "--data", path + "/server"]
        ).finish().checked().output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A file in this folder.
    func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
        return "\(path)/\(name)"
    }

    /// A new device.
    func device(_ name: String) async throws -> Device {
        let device = Device(name, in: self)
        try await device("init", "--name", name)
        return device
    }

    /// Two devices of one person, joined and in step.
    func pair() async throws -> (boat: Device, phone: Device) {
        let boat = try await device("boat")
        try await boat("join", try await invite())
        try await boat("sync")
        let phone = try await device("phone")
        try await phone("join", try await boat.link())
        try await phone("sync")
        try await boat("sync")
        return (boat, phone)
    }
}

extension RunningProgram {
    /// Waits until what the program wrote has a match; throws if it ends before.
    func match<Output>(
        _ regex: Regex<Output>,
        _ what: String,
        in text: (RunningProgram) -> String
    ) async throws -> Output {
        var match: Regex<Output>.Match?
        try await until("\(what) of \(command)") {
            let isOver = !isRunning
            match = try regex.firstMatch(in: text(self))
            return match != nil || isOver
        }
        guard let match else { throw UnexpectedEnd(outcome: await finish()) }
        return match.output
    }
}

/// A server that listens.
struct RunningServer: Sendable {
    let program: RunningProgram
    /// `host:port`.
    let address: String

    init(_ program: RunningProgram, site: Site) async throws {
        self.program = program
        let line = try await program.match(
            /listening on https?:\/\/(.*)\n/,
            "the address",
            in: \.output
        )
        address = String(line.1)
    }

    /// Ends it as a power cut would.
    func kill() async {
        program.send(SIGKILL)
        await program.finish()
    }
}

extension Site {
    /// Runs `body` with a server, and ends that whatever happens.
    func serving<Value>(
        _ words: [String] = [],
        _ body: (RunningServer) async throws -> Value
    ) async throws -> Value {
        let server = try await startServer(words)
        do {
            let value = try await body(server)
            await server.kill()
            return value
        } catch {
            await server.kill()
            throw error
        }
    }
}
