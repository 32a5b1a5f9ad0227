internal import Foundation
internal import SyncCore

/// A `wake-server` with an empty store, on a free port of this machine until this value goes away.
final class ServerProcess: Sendable {
    let authority: String
    private let process: Process
    private let folder: Folder

    init() throws {
        folder = try Folder()
        process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: Program.server.path)
        process.arguments = [
            "serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--health", "none",
            "--plain",
        ]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        guard let address = line.split(separator: "\n").first?.split(separator: "//").last else {
            throw ProgramError.silent
        }
        authority = String(address)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// A link for a new person's first device.
    func invite() throws -> Link {
        let arguments = ["invite", "Ann", "--data", folder.path, "--authority", authority]
        let text = try Program.server.output(arguments).split(separator: "\n").first
        guard let link = text.flatMap({ Link(String($0)) }) else { throw ProgramError.silent }
        return link
    }
}
